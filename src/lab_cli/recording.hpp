// The recording of one simulated run: a trace in a file, a film for the viewer, or both.
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
  /// Opens the file. Throws BadText if it cannot be opened, or if the options exclude one another.
  Recording(const SimTexts& texts, const Invocation& invocation, std::uint64_t seed,
            sim::Node nodes, sim::FilmSink::Cast cast = {});

  /// Null if nothing is recorded.
  sim::TraceSink* sink() { return both_ ? &*both_ : nullptr; }
  /// Shows the film, if there is one. Call it last, after the results are printed: it may block
  /// until Ctrl-C.
  void show();

 private:
  const SimTexts& texts_;
  std::ofstream file_;
  std::unique_ptr<sim::TraceSink> trace_;
  std::optional<sim::FilmSink> film_;
  std::optional<sim::TwoSinks> both_;
};

/// Throws BadText if the options ask for the recording of one run, for a command with many runs.
void refuse_to_record_many(const SimTexts& texts);

}  // namespace conch::lab_cli
