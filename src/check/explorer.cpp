#include "check/explorer.hpp"

#include <chrono>

namespace conch::check {

namespace {

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
    : BreadthFirst(model, options, progress, options.exact), model_(model), options_(options) {}

Report Explorer::run() {
  auto start = std::chrono::steady_clock::now();
  search();
  Report report;
  fill(report);
  report.bytes = bytes();
  report.sometimes = sometimes();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.seconds = took.count();
  return report;
}

std::optional<std::vector<Step>> Explorer::way_to(Fingerprint target) {
  target_ = target;
  search();
  Report report;
  fill(report);
  if (!report.violation) return {};
  return report.steps;
}

void Explorer::begin(Worker& worker) {
  arrive(worker, worker.walker.initial(), none, Step{}, Taken{});
}

void Explorer::expand(Worker& worker, Words words, const Item& item) {
  State state(options_.setting.nodes, words);
  worker.walker.steps(state, worker.steps);
  for (const Step& step : worker.steps) {
    if (options_.reduce && needless(item.note, step)) continue;
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
    arrive(worker, next, item.id, step, taken);
  }
}

/// A state t of depth d+1 is reached from all its predecessors of depth d. Let `step` of node j
/// lead from s.a to t, where a, the step by which s.a was first reached, is of another node i > j.
/// If `step` was possible in s, too, it commutes with a, and t is also reached by a from s.step,
/// which has depth d or t would be nearer. So of all predecessors, the one whose step is of the
/// largest node never finds its step needless: every state is reached, at its depth, with fewer
/// steps.
bool Explorer::needless(const Note& note, const Step& step) const {
  if (!note.plain || !is_plain(step.kind) || step.node >= note.last) return false;
  if (step.kind != StepKind::deliver || step.packet.from() != note.last) return true;
  if (note.sent == nullptr) return true;  // a message reached somebody who has crashed
  for (const Sent& sent : *note.sent)
    if (sent.to == step.node && sent.message.number == step.packet.message().number) return false;
  return true;
}

void Explorer::arrive(Worker& worker, const State& state, Id from, const Step& step,
                      const Taken& taken) {
  // Nobody will enter or wait any more, whatever is still in flight.
  if (options_.reduce && worker.walker.over(state)) return;
  if (!insert(state.words())) return;
  Id id = record(worker, {from, step});
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
  bool plain = from != none && fixed && is_plain(step.kind) && !taken.carried_on;
  reach(worker, state.words(), id, {static_cast<std::uint16_t>(step.node), plain, taken.sent});
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

std::map<Sometimes, bool> Explorer::sometimes() const {
  std::uint32_t seen = this->seen();
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
