#include "lab_cli/recording.hpp"

#include <fmt/core.h>

#include "lab_cli/runs.hpp"

namespace conch::lab_cli {

namespace {

film::RecordingInfo about(const SimTexts& texts, const Invocation& invocation, std::uint64_t seed,
                          sim::Node nodes) {
  return {.title = fmt::format("{}, {} nodes, seed {}", texts.algorithm, nodes, seed),
          .command = repeat_command(invocation, seed),
          .algorithm = texts.algorithm,
          .family = std::string(film::family_of(texts.algorithm))};
}

}  // namespace

Recording::Recording(const SimTexts& texts, const Invocation& invocation, std::uint64_t seed,
                     sim::Node nodes, sim::FilmSink::Cast cast)
    : texts_(texts) {
  if (texts.states && !texts.trace) throw BadText("--states needs --trace FILE.ndjson");
  if (texts.trace) {
    trace_ = sim::sink_for(*texts.trace, file_, texts.states ? texts.algorithm : "");
    bool clocks = trace_->wants_clocks();
    if (clocks && texts.states)
      throw BadText("--states: ShiViz cannot show states; use a .ndjson file");
    if (clocks && texts.show.wanted())
      throw BadText("--view: show the run or write it for ShiViz, not both");
    file_.open(*texts.trace);
    if (!file_) throw BadText("--trace: cannot write to " + *texts.trace);
    trace_ = sim::sink_for(*texts.trace, file_, texts.states ? texts.algorithm : "");
  }
  if (texts.show.wanted())
    film_.emplace(about(texts, invocation, seed, nodes), nodes, std::move(cast));
  if (trace_ || film_) both_.emplace(trace_.get(), film_ ? &*film_ : nullptr);
}

void Recording::show() {
  if (film_) lab_cli::show(film_->film(), texts_.show);
}

void refuse_to_record_many(const SimTexts& texts) {
  if (texts.trace) throw BadText("--trace writes one run: give --seed instead of --seeds");
  if (texts.show.wanted()) throw BadText("--view shows one run: give --seed instead of --seeds");
}

}  // namespace conch::lab_cli
