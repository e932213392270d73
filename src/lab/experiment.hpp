// Experiments: one file per published table or figure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/table.hpp"

namespace conch::lab {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 10;
};

/// What an experiment found: a table, and what it means in a few lines.
struct Findings {
  std::string setting;
  Table table;
  std::vector<std::string> remarks;
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

struct Experiment {
  std::string_view name;
  std::string_view about;
  /// On our simulator.
  Findings (*run)(const Seeds& seeds) = nullptr;
  /// Instead, of those that can choose.
  Findings (*run_on)(const Seeds& seeds, Engines engines) = nullptr;
  /// Instead, of those on the planet.
  Findings (*run_there)(const Seeds& seeds, const Planet& planet) = nullptr;
  /// Unless others are asked for.
  Seeds seeds = {};
};

std::span<const Experiment> experiments();
/// Throws UnknownName with a suggestion.
const Experiment& find_experiment(std::string_view name);

// The experiments.
Findings textbook(const Seeds& seeds);
Findings textbook_faults(const Seeds& seeds);
Findings elections(const Seeds& seeds);
Findings hierarchical(const Seeds& seeds);
Findings planet(const Seeds& seeds, const Planet& planet);
Findings auto_clusters(const Seeds& seeds, const Planet& planet);
Findings elmp_messages(const Seeds& seeds, Engines engines);
Findings dho_cycle(const Seeds& seeds, Engines engines);
Findings dho_overlap(const Seeds& seeds, Engines engines);
Findings dho_mobility(const Seeds& seeds, Engines engines);
Findings p2p_nodes(const Seeds& seeds);
Findings p2p_load(const Seeds& seeds);
Findings p2p_distribution(const Seeds& seeds);
Findings p2p_churn(const Seeds& seeds);
Findings p2p_scale(const Seeds& seeds);

}  // namespace conch::lab
