// What is kept of one simulated run: a trace in a file, a film for the viewer, or both.
#pragma once

#include <fstream>
#include <memory>
#include <optional>

#include "lab_cli/commands.hpp"
#include "lab_cli/sim_options.hpp"
#include "sim/film_sink.hpp"

namespace conch::lab_cli {

class Recording {
 public:
  /// Opens the file. Throws BadText if that cannot be, or if the options cannot be combined.
  Recording(const SimTexts& texts, const Invocation& invocation, std::uint64_t seed,
            sim::Node nodes, sim::FilmSink::Cast cast = {});

  /// Nothing if nothing is to be kept.
  sim::TraceSink* sink() { return both_ ? &*both_ : nullptr; }
  /// When all has been said of the run.
  void show();

 private:
  const SimTexts& texts_;
  std::ofstream file_;
  std::unique_ptr<sim::TraceSink> trace_;
  std::optional<sim::FilmSink> film_;
  std::optional<sim::TwoSinks> both_;
};

/// Throws BadText if one run is to be kept of many.
void refuse_to_record_many(const SimTexts& texts);

}  // namespace conch::lab_cli
