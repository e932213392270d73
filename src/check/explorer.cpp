#include "check/explorer.hpp"

#include <bit>
#include <chrono>
#include <thread>

namespace conch::check {

namespace {

constexpr std::size_t chunk = 256;

std::uint32_t bit(Sometimes sometimes) { return 1U << static_cast<unsigned>(sometimes); }

/// Changes one node only, and what it sends: it commutes with such steps of other nodes.
bool is_plain(StepKind kind) {
  switch (kind) {
    case StepKind::request:
    case StepKind::release:
    case StepKind::cancel:
    case StepKind::deliver:
    case StepKind::elect:
    case StepKind::timer: return true;
    case StepKind::leave:
    case StepKind::join:
    case StepKind::duplicate:
    case StepKind::lose:
    case StepKind::crash:
    case StepKind::suspect:
    case StepKind::notice:
    case StepKind::retire:
    case StepKind::restart:
    case StepKind::tick: return false;
  }
  return false;
}

bool is_fault(StepKind kind) {
  return kind == StepKind::duplicate || kind == StepKind::lose || kind == StepKind::crash ||
         kind == StepKind::suspect;
}

}  // namespace

Explorer::Explorer(Model& model, const Options& options, const ProgressSink& progress)
    : model_(model), options_(options), progress_(progress), visited_(options.exact) {
  for (unsigned i = 0; i < options.threads; ++i)
    workers_.push_back(std::make_unique<Worker>(model, options));
}

Report Explorer::run() {
  auto start = std::chrono::steady_clock::now();
  begin();
  for (Level level = next_level(); !level.items.empty() && !ended_; level = next_level()) {
    expand_level(level);
    if (!violation_) ++depth_;
  }
  Report report;
  report.states = states_;
  report.depth = depth_;
  report.bytes = visited_.bytes() + states_ * sizeof(Record) + level_bytes_;
  report.incomplete = incomplete_;
  report.complete = incomplete_.empty() && !violation_;
  report.violation = violation_;
  report.steps = way();
  report.sometimes = sometimes();
  for (const auto& worker : workers_) report.transitions += worker->transitions;
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.seconds = took.count();
  return report;
}

std::optional<std::vector<Step>> Explorer::way_to(Fingerprint target) {
  target_ = target;
  begin();
  for (Level level = next_level(); !level.items.empty() && !ended_; level = next_level())
    expand_level(level);
  if (!violation_) return {};
  return way();
}

void Explorer::begin() {
  Worker& worker = *workers_[0];
  State state = worker.walker.initial();
  arrive(0, state, Item{}, Step{}, Taken{});
}

/// Everything that the workers have reached since the last call.
Explorer::Level Explorer::next_level() {
  Level level;
  for (const auto& worker : workers_) {
    std::size_t base = level.words.size();
    level.words.insert(level.words.end(), worker->words.begin(), worker->words.end());
    for (Item item : worker->items) {
      item.offset += base;
      level.items.push_back(item);
    }
    worker->words.clear();
    worker->items.clear();
  }
  level_bytes_ = std::max(level_bytes_, 2 * (level.items.size() * sizeof(Item) +
                                             level.words.size() * sizeof(std::uint32_t)));
  if (progress_) progress_({states_, level.items.size(), depth_});
  return level;
}

void Explorer::expand_level(const Level& level) {
  next_item_ = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i)
    threads.emplace_back([this, i, &level] { work(i, level); });
  work(0, level);
}

void Explorer::work(std::size_t thread, const Level& level) {
  try {
    while (!ended_) {
      std::size_t first = next_item_.fetch_add(chunk);
      if (first >= level.items.size()) return;
      for (std::size_t i = first; i < std::min(first + chunk, level.items.size()); ++i)
        expand(thread, level, level.items[i]);
      if (options_.stop != nullptr && *options_.stop) give_up("interrupted");
      std::size_t bytes = visited_.bytes() + states_ * sizeof(Record) + level_bytes_;
      if (bytes > options_.bytes_max) give_up("the memory that --memory allows is full");
    }
  } catch (const std::length_error& error) {  // more than a state, or a number, has room for
    give_up(error.what());
  }
}

void Explorer::give_up(const std::string& why) {
  std::lock_guard lock(mutex_);
  incomplete_ = why;
  ended_ = true;
}

void Explorer::expand(std::size_t thread, const Level& level, const Item& item) {
  Worker& worker = *workers_[thread];
  State state(options_.setting.nodes, {level.words.data() + item.offset, item.size});
  worker.walker.steps(state, worker.steps);
  for (const Step& step : worker.steps) {
    if (options_.reduce && needless(item, step)) continue;
    Taken taken;
    State next = worker.walker.take(state, step, taken);
    ++worker.transitions;
    if (is_fault(step.kind)) worker.seen |= bit(Sometimes::fault);
    if (step.kind == StepKind::cancel && state.packets() > 0)
      worker.seen |= bit(Sometimes::cancel_meets_message);
    if (step.kind == StepKind::timer) worker.seen |= bit(Sometimes::timer);
    if (taken.stopped) worker.seen |= bit(Sometimes::stopped);
    if (taken.handed_on) worker.seen |= bit(Sometimes::handed_on);
    if (taken.yielded) worker.seen |= bit(Sometimes::yielded);
    for (Sometimes sight : worker.walker.election_sights(state, step, next))
      worker.seen |= bit(sight);
    if (taken.violation && !target_) return found(*taken.violation, item.id, step);
    arrive(thread, next, item, step, taken);
  }
}

/// A state t of depth d+1 is reached from all its predecessors of depth d. Let `step` of node j
/// lead from s.a to t, where a, the step by which s.a was first reached, is of another node i > j.
/// If `step` was possible in s, too, it commutes with a, and t is also reached by a from s.step,
/// which has depth d or t would be nearer. So of all predecessors, the one whose step is of the
/// largest node never finds its step needless: every state is reached, at its depth, with fewer
/// steps.
bool Explorer::needless(const Item& item, const Step& step) const {
  if (!item.plain || !is_plain(step.kind) || step.node >= item.last) return false;
  if (step.kind != StepKind::deliver || step.packet.from() != item.last) return true;
  for (const Sent& sent : *item.sent)
    if (sent.to == step.node && sent.message.number == step.packet.message().number) return false;
  return true;
}

void Explorer::arrive(std::size_t thread, const State& state, const Item& from, const Step& step,
                      const Taken& taken) {
  Worker& worker = *workers_[thread];
  // Nobody will enter or wait any more, whatever is still in flight.
  if (options_.reduce && worker.walker.over(state)) return;
  if (!visited_.insert(state.words())) return;
  auto id = static_cast<Id>(thread << thread_shift | worker.records.size());
  worker.records.push_back(
      {from.id, step.packet.word,
       static_cast<std::uint32_t>(step.kind) << 16 | step.node << 8 | step.other});
  ++states_;
  see(worker, state, taken);
  std::optional<sim::Violation> violation;
  if (target_) {
    if (fingerprint(state.words()) == *target_) violation = sim::Violation{};
  } else if (model_.entry().can.elects) {
    violation = worker.walker.election_end(state);
  } else if (sim::Finding finding = worker.walker.deadlock(state)) {
    violation = sim::Violation{sim::Property::progress, *finding};
  } else if (sim::Finding memory = worker.walker.memory(state)) {
    violation = sim::Violation{sim::Property::memory, *memory};
  } else if (sim::Finding disorder = worker.walker.disorder(state)) {
    violation = sim::Violation{sim::Property::structure, *disorder};
  }
  if (violation) return found(*violation, id, {});
  // With members that come and go a step may tell everybody of a new roster.
  bool fixed = options_.budget(Budget::leave) + options_.budget(Budget::join) == 0;
  bool plain = from.id != none && fixed && is_plain(step.kind) && !taken.carried_on;
  worker.items.push_back({worker.words.size(), static_cast<std::uint32_t>(state.words().size()), id,
                          step.node, plain, taken.sent});
  worker.words.insert(worker.words.end(), state.words().begin(), state.words().end());
}

void Explorer::see(Worker& worker, const State& state, const Taken& taken) const {
  int waiting = 0, inside = 0;
  for (Node node = 0; node < state.nodes(); ++node) {
    Phase phase = state.local(node).phase();
    waiting += phase == Phase::waiting;
    inside += phase == Phase::inside;
  }
  bool token = false, other = false;
  for (std::uint32_t i = 0; i < state.packets(); ++i)
    (state.packet(i).message().token() ? token : other) = true;
  auto mark = [&](bool seen, Sometimes sometimes) {
    if (seen) worker.seen |= bit(sometimes);
  };
  mark(waiting >= 2, Sometimes::two_wait);
  mark(waiting >= 1 && inside >= 1, Sometimes::waits_while_inside);
  mark(inside >= 2, Sometimes::readers_together);
  mark(token && other, Sometimes::token_and_request_in_flight);
  mark(taken.withdrew, Sometimes::withdrawn);
  mark(taken.joined, Sometimes::joined);
  mark(taken.left, Sometimes::left);
  mark(waiting >= 1 && worker.walker.examinable(state), Sometimes::examined);
}

/// All that are found while one level is expanded are equally near.
void Explorer::found(const sim::Violation& violation, Id at, std::optional<Step> step) {
  std::lock_guard lock(mutex_);
  if (violation_) return;
  violation_ = violation;
  found_at_ = at;
  found_by_ = step;
  ended_ = true;
}

/// Called when the threads are done: they write the records.
std::vector<Step> Explorer::way() const {
  std::vector<Step> steps;
  if (found_by_) steps.push_back(*found_by_);
  for (Id id = found_at_; id != none;) {
    const Record& record = workers_[id >> thread_shift]->records[id & ((1U << thread_shift) - 1)];
    id = record.parent;
    if (id == none) break;
    steps.push_back({static_cast<StepKind>(record.step >> 16), record.step >> 8 & 255,
                     record.step & 255, Packet{record.packet}});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::map<Sometimes, bool> Explorer::sometimes() const {
  std::uint32_t seen = 0;
  for (const auto& worker : workers_) seen |= worker->seen;
  std::map<Sometimes, bool> list;
  auto expect = [&](bool expected, Sometimes sometimes) {
    if (expected) list[sometimes] = (seen & bit(sometimes)) != 0;
  };
  auto may = [&](Budget budget) { return options_.budget(budget) > 0; };
  const CatalogEntry& entry = model_.entry();
  bool company = options_.setting.nodes > 1;
  if (entry.can.elects) {
    bool crash = may(Budget::crash) && options_.setting.nodes > 2;
    expect(company, Sometimes::elections_overlap);
    expect(crash, Sometimes::participant_crashed);
    expect(crash, Sometimes::announcer_crashed);
    expect(crash && may(Budget::restart), Sometimes::restarted_coordinator);
    expect(company && may(Budget::retire), Sometimes::replaced);
    return list;
  }
  bool only_token = entry.about.restless;
  bool faults =
      may(Budget::duplicate) || may(Budget::lose) || may(Budget::crash) || may(Budget::suspect);
  expect(company, Sometimes::two_wait);
  expect(company && options_.setting.readers < options_.setting.nodes,
         Sometimes::waits_while_inside);
  expect(options_.setting.readers > 1, Sometimes::readers_together);
  expect(company && entry.can.token && !only_token, Sometimes::token_and_request_in_flight);
  expect(company && may(Budget::cancel), Sometimes::cancel_meets_message);
  expect(company && may(Budget::cancel), Sometimes::withdrawn);
  expect(may(Budget::join), Sometimes::joined);
  expect(may(Budget::leave), Sometimes::left);
  expect(company && entry.can.structured && !faults, Sometimes::examined);
  expect(faults, Sometimes::fault);
  Node requesters = entry.can.routed && company ? options_.setting.requesters : 0;
  expect(requesters > 1 && model_.intercepts(), Sometimes::stopped);
  expect(requesters > 1 && entry.about.family == "token", Sometimes::handed_on);
  expect(requesters > 1 && may(Budget::timer), Sometimes::timer);
  // Where nobody waits on the way to a replica, it takes three to split the votes.
  expect(requesters > (model_.intercepts() ? 1 : 2) && may(Budget::timer), Sometimes::yielded);
  return list;
}

}  // namespace conch::check
