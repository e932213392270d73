// Experiments: one file per published table or figure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/figure.hpp"
#include "lab/table.hpp"

namespace conch::lab {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 10;
};

/// What an experiment found: a table, what a report draws of it, what became of the paper's claims,
/// and what else there is to say.
struct Findings {
  std::string setting;
  Table table;
  std::vector<std::string> remarks = {};
  std::vector<Claim> claims = {};
  std::vector<Figure> figures = {};
};

/// How large a planet is, and how far from the straight line its cables are.
struct Planet {
  /// The sizes up to so many cities.
  std::size_t cities = 50;
  /// "Multiply line-of-sight distance by 2.1, then divide by the speed of light in fiber": the
  /// rule of thumb of the measurements that Bozkurt et al. 2018 cite (Dissecting Latency in the
  /// Internet's Fiber Infrastructure). With the best ways through today's cables it would be 1.3.
  double stretch = 2.1;
};

/// What runs a handover: our event queue, SimGrid, or both, to be compared.
enum class Engines : std::uint8_t { sim, simgrid, both };

/// How much of an experiment is run. Smoke is for tests: the least that has all of its figures.
enum class Scale : std::uint8_t { smoke, quick, full };

template <class T>
T pick(Scale scale, T smoke, T quick, T full) {
  return scale == Scale::full ? full : scale == Scale::quick ? quick : smoke;
}

/// What an experiment is asked for.
struct Setup {
  Seeds seeds = {};
  Scale scale = Scale::full;
  /// Of those that can choose.
  Engines engines = Engines::both;
  /// Of those on the planet.
  Planet planet = {};
};

struct Experiment {
  std::string_view name;
  std::string_view about;
  Findings (*run)(const Setup& setup) = nullptr;
  /// Unless others are asked for.
  Seeds seeds = {};
  bool has_engines = false;
  bool has_planet = false;

  /// The same at the full scale, two of them at the quick one, and one to see whether it works.
  Seeds seeds_at(Scale scale) const;
};

std::span<const Experiment> experiments();
/// Throws UnknownName with a suggestion.
const Experiment& find_experiment(std::string_view name);

// The experiments.
Findings textbook(const Setup& setup);
Findings textbook_faults(const Setup& setup);
Findings elections(const Setup& setup);
Findings hierarchical(const Setup& setup);
Findings planet(const Setup& setup);
Findings auto_clusters(const Setup& setup);
Findings elmp_messages(const Setup& setup);
Findings dho_cycle(const Setup& setup);
Findings dho_overlap(const Setup& setup);
Findings dho_mobility(const Setup& setup);
Findings p2p_nodes(const Setup& setup);
Findings p2p_load(const Setup& setup);
Findings p2p_distribution(const Setup& setup);
Findings p2p_churn(const Setup& setup);
Findings p2p_scale(const Setup& setup);

}  // namespace conch::lab
