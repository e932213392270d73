#include "check/recovery_search.hpp"

#include <chrono>

namespace conch::check::group {

Report Search::run() {
  auto start = std::chrono::steady_clock::now();
  search();
  Report report;
  fill(report);
  report.bytes = Memory::peak();
  report.sometimes = expected(options_, seen());
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.seconds = took.count();
  return report;
}

void Search::begin(Worker& worker) { arrive(worker, worker.walker.initial(), none, {}); }

void Search::expand(Worker& worker, Words words, const Item& item) {
  State state(options_.setting.slots(), words);
  worker.walker.steps(state, worker.steps);
  if (sim::Finding finding = worker.walker.deadlock(state, worker.steps))
    return found({sim::Property::progress, *finding}, item.id, {});
  for (const Step& step : worker.steps) {
    Taken taken;
    State next = worker.walker.take(state, step, taken);
    ++worker.transitions;
    worker.seen |= taken.seen;
    if (taken.violation) return found(*taken.violation, item.id, step);
    arrive(worker, next, item.id, step);
  }
}

void Search::arrive(Worker& worker, const State& state, Id parent, const Step& step) {
  if (insert(state.words())) reach(worker, state.words(), record(worker, {parent, step}), {});
}

}  // namespace conch::check::group
