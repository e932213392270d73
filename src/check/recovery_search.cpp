#include "check/recovery_search.hpp"

#include <chrono>
#include <thread>

namespace conch::check::group {

namespace {
constexpr std::size_t chunk = 64;
}

Search::Search(Model& model, const Options& options, const ProgressSink& progress)
    : model_(model), options_(options), progress_(progress) {
  for (unsigned i = 0; i < options.threads; ++i)
    workers_.push_back(std::make_unique<Worker>(model, options));
}

Report Search::run() {
  auto start = std::chrono::steady_clock::now();
  arrive(0, workers_[0]->walker.initial(), none, {});
  for (Level level = next_level(); !level.items.empty() && !ended_; level = next_level()) {
    expand_level(level);
    if (!violation_) ++depth_;
  }
  Report report;
  report.states = states_;
  report.depth = depth_;
  report.bytes = bytes();
  report.incomplete = incomplete_;
  report.complete = incomplete_.empty() && !violation_;
  report.violation = violation_;
  report.steps = way();
  std::uint32_t seen = 0;
  for (const auto& worker : workers_) {
    report.transitions += worker->transitions;
    seen |= worker->seen;
  }
  report.sometimes = expected(options_, seen);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.seconds = took.count();
  return report;
}

/// Everything that the workers have reached since the last call.
Search::Level Search::next_level() {
  Level level;
  for (const auto& worker : workers_) {
    std::size_t base = level.words.size();
    const Level& reached = worker->reached;
    level.words.insert(level.words.end(), reached.words.begin(), reached.words.end());
    for (Item item : reached.items) {
      item.offset += base;
      level.items.push_back(item);
    }
    worker->reached = {};
  }
  std::size_t now = level.items.size() * sizeof(Item) + level.words.size() * sizeof(std::uint32_t);
  level_bytes_ = std::max(level_bytes_, 2 * now);
  model_bytes_ = model_.bytes();
  if (progress_) progress_({states_, level.items.size(), depth_});
  return level;
}

void Search::expand_level(const Level& level) {
  next_item_ = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i)
    threads.emplace_back([this, i, &level] { work(i, level); });
  work(0, level);
}

void Search::work(std::size_t thread, const Level& level) {
  try {
    while (!ended_) {
      std::size_t first = next_item_.fetch_add(chunk);
      if (first >= level.items.size()) return;
      for (std::size_t i = first; i < std::min(first + chunk, level.items.size()) && !ended_; ++i)
        expand(thread, level, level.items[i]);
      if (options_.stop != nullptr && *options_.stop) give_up("interrupted");
      if (bytes() > options_.bytes_max) give_up("the memory that --memory allows is full");
    }
  } catch (const std::length_error& error) {  // more than a state, or a number, has room for
    give_up(error.what());
  }
}

std::size_t Search::bytes() const {
  return visited_.bytes() + states_ * sizeof(Record) + level_bytes_ + model_bytes_;
}

void Search::give_up(const std::string& why) {
  std::lock_guard lock(mutex_);
  incomplete_ = why;
  ended_ = true;
}

void Search::expand(std::size_t thread, const Level& level, const Item& item) {
  Worker& worker = *workers_[thread];
  State state(options_.setting.slots(), {level.words.data() + item.offset, item.size});
  worker.walker.steps(state, worker.steps);
  if (sim::Finding finding = worker.walker.deadlock(state, worker.steps))
    return found({sim::Property::progress, *finding}, item.id, {});
  for (const Step& step : worker.steps) {
    Taken taken;
    State next = worker.walker.take(state, step, taken);
    ++worker.transitions;
    worker.seen |= taken.seen;
    if (taken.violation) return found(*taken.violation, item.id, step);
    arrive(thread, next, item.id, step);
  }
}

void Search::arrive(std::size_t thread, const State& state, Id parent, const Step& step) {
  if (!visited_.insert(state.words())) return;
  Worker& worker = *workers_[thread];
  if (worker.records.size() == records_max) throw std::length_error("more than 268 million states");
  auto id = static_cast<Id>(thread << thread_shift | worker.records.size());
  worker.records.push_back({parent, step});
  ++states_;
  Level& reached = worker.reached;
  reached.items.push_back(
      {reached.words.size(), static_cast<std::uint32_t>(state.words().size()), id});
  reached.words.insert(reached.words.end(), state.words().begin(), state.words().end());
}

/// All that are found while one level is expanded are equally near.
void Search::found(const sim::Violation& violation, Id at, std::optional<Step> step) {
  std::lock_guard lock(mutex_);
  if (violation_) return;
  violation_ = violation;
  found_at_ = at;
  found_by_ = step;
  ended_ = true;
}

/// Called when the threads are done: they write the records.
std::vector<Step> Search::way() const {
  std::vector<Step> steps;
  if (found_by_) steps.push_back(*found_by_);
  for (Id id = found_at_; id != none;) {
    const Record& record = workers_[id >> thread_shift]->records[id & (records_max - 1)];
    id = record.parent;
    if (id != none) steps.push_back(record.step);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace conch::check::group
