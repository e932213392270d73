// The experiments of `conch lab`: one file per published table or figure, listed in experiment.cpp.
// An experiment is a function from a Setup (seeds, scale, settings) to ExperimentResult (a table,
// figures, claims).
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

/// Seeds from `first` to `last`, one run each. Ten by default, as in most papers.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 10;

  std::uint64_t count() const { return last - first + 1; }
};

/// The result of an experiment: a table, the figures that a report draws, the verdicts on the
/// paper's claims, and remarks.
struct ExperimentResult {
  std::string setting;
  Table table;
  std::vector<std::string> remarks = {};
  std::vector<PaperClaim> claims = {};
  std::vector<Figure> figures = {};
};

/// Which engine runs a handover: our event queue, SimGrid, or both, to compare them.
enum class Engines : std::uint8_t { sim, simgrid, both };

/// The input of an experiment.
struct Setup {
  Seeds seeds = {};
  Scale scale = Scale::full;
  /// Ignored by experiments that have no choice of engines.
  Engines engines = Engines::both;
  /// The values of all settings of the experiment, by name.
  std::map<std::string_view, std::vector<double>> settings = {};
  /// The settings that differ from the usual ones, as on the command line.
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
  ExperimentResult (*measure)(const Setup& setup) = nullptr;
  /// The default seeds. Verdicts do not change with other seeds, if there are as many.
  Seeds seeds = {};
  std::span<const ExperimentOption> settings = {};
  bool has_engines = false;
  /// Without verdicts, a report needs only one seed.
  bool has_verdicts = true;

  /// The seeds and settings of a scale: all seeds at `full`, two at `quick`, and one at `smoke`.
  Setup setup_at(Scale scale) const;
  /// Throws BadText, saying which settings the experiment takes, if it does not take this one.
  void set(Setup& setup, std::string_view setting, std::string_view text) const;
  /// Measures, and adds to the findings which seeds and settings they are for.
  ExperimentResult run(const Setup& setup) const;
};

std::span<const Experiment> experiments();
/// Throws UnknownName with a suggestion.
const Experiment& find_experiment(std::string_view name);

// The experiments. Each is in the file of its name, except p2p_nodes and p2p_load, which are in
// p2p_scalability.cpp.
ExperimentResult textbook(const Setup& setup);
ExperimentResult textbook_faults(const Setup& setup);
ExperimentResult textbook_reuse(const Setup& setup);
ExperimentResult elections(const Setup& setup);
ExperimentResult hierarchical(const Setup& setup);
ExperimentResult planet(const Setup& setup);
ExperimentResult auto_clusters(const Setup& setup);
ExperimentResult elmp_messages(const Setup& setup);
ExperimentResult dho_request(const Setup& setup);
ExperimentResult dho_cycle(const Setup& setup);
ExperimentResult dho_overlap(const Setup& setup);
ExperimentResult dho_mobility(const Setup& setup);
ExperimentResult p2p_nodes(const Setup& setup);
ExperimentResult p2p_load(const Setup& setup);
ExperimentResult p2p_distribution(const Setup& setup);
ExperimentResult p2p_churn(const Setup& setup);
ExperimentResult p2p_scale(const Setup& setup);

}  // namespace conch::lab
