// Experiments: one file per published table or figure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.hpp"
#include "lab/figure.hpp"
#include "lab/setting.hpp"

namespace conch::lab {

/// Ten, as many as in most papers.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 10;

  std::uint64_t count() const { return last - first + 1; }
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

/// What runs a handover: our event queue, SimGrid, or both, to be compared.
enum class Engines : std::uint8_t { sim, simgrid, both };

/// What an experiment is asked for.
struct Setup {
  Seeds seeds = {};
  Scale scale = Scale::full;
  /// Of those that can choose.
  Engines engines = Engines::both;
  /// All that the experiment takes, by their names.
  std::map<std::string_view, std::vector<double>> settings = {};
  /// Those that are not the usual ones, as on the command line.
  std::string changed = {};

  template <class T = std::size_t>
  T number(std::string_view name) const {
    return static_cast<T>(settings.at(name).front());
  }
  template <class T = std::size_t>
  std::vector<T> numbers(std::string_view name) const {
    std::vector<T> numbers;
    for (double value : settings.at(name)) numbers.push_back(static_cast<T>(value));
    return numbers;
  }
};

struct Experiment {
  std::string_view name;
  std::string_view about;
  Findings (*measure)(const Setup& setup) = nullptr;
  /// Unless others are asked for. Verdicts are known not to change with other seeds, if there are
  /// as many.
  Seeds seeds = {};
  std::span<const Setting> settings = {};
  bool has_engines = false;
  /// If it has none, a report takes a single seed.
  bool has_verdicts = true;

  /// With the seeds and settings of this scale: all seeds at the full one, two of them at the quick
  /// one, and one to see whether it works.
  Setup setup_at(Scale scale) const;
  /// Throws BadText with what it takes, if it is not this.
  void set(Setup& setup, std::string_view setting, std::string_view text) const;
  /// Measures, and says of which seeds and settings the means and verdicts are.
  Findings run(const Setup& setup) const;
};

std::span<const Experiment> experiments();
/// Throws UnknownName with a suggestion.
const Experiment& find_experiment(std::string_view name);

// The experiments.
Findings textbook(const Setup& setup);
Findings textbook_faults(const Setup& setup);
Findings textbook_reuse(const Setup& setup);
Findings elections(const Setup& setup);
Findings hierarchical(const Setup& setup);
Findings planet(const Setup& setup);
Findings auto_clusters(const Setup& setup);
Findings elmp_messages(const Setup& setup);
Findings dho_request(const Setup& setup);
Findings dho_cycle(const Setup& setup);
Findings dho_overlap(const Setup& setup);
Findings dho_mobility(const Setup& setup);
Findings p2p_nodes(const Setup& setup);
Findings p2p_load(const Setup& setup);
Findings p2p_distribution(const Setup& setup);
Findings p2p_churn(const Setup& setup);
Findings p2p_scale(const Setup& setup);

}  // namespace conch::lab
