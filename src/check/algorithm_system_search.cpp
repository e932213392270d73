// What an algorithm's states are checked for, which steps need not be taken, and which cycles are
// livelocks.
#include "check/algorithm_system.hpp"
#include "core/hash.hpp"

namespace conch::check {

namespace {

/// The step changes only one node and what that node sends, so it commutes with such steps of other
/// nodes.
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

// Duties besides messages. In a message, their upper bits would be the addressee 15, which no node
// has as its number.
constexpr std::uint32_t to_leave = 15U << 28;
constexpr std::uint32_t to_notice = 15U << 28 | 1 << 8;

}  // namespace

AlgorithmSystem::Note AlgorithmSystem::note(const Step& step, const StepResult& taken) const {
  bool plain = stays_ && is_plain(step.kind) && !taken.carried_on;
  return {taken.sent, static_cast<std::uint16_t>(step.node), plain};
}

/// A state t of depth d+1 is reached from all its predecessors of depth d. Let `step` of node j
/// lead from s.a to t, where a, the step by which s.a was first reached, is of another node i > j.
/// If `step` was possible in s, too, it commutes with a, and t is also reached by a from s.step,
/// which has depth d or t would be nearer. So of all predecessors, the one whose step is of the
/// largest node never finds its step needless: every state is reached, at its depth, with fewer
/// steps.
bool AlgorithmSystem::needless(const Note& note, const Step& step) const {
  if (!note.plain || !is_plain(step.kind) || step.node >= note.last) return false;
  if (step.kind != StepKind::deliver || step.packet.from() != note.last) return true;
  if (note.sent == nullptr) return true;  // a message reached a crashed node
  for (const Sent& sent : *note.sent)
    if (sent.to == step.node && sent.message.number == step.packet.message().number) return false;
  return true;
}

std::optional<sim::Violation> AlgorithmSystem::judge(const State& state) {
  if (elects_) return election_end(state);
  if (sim::Finding finding = deadlock(state))
    return sim::Violation{sim::Property::progress, *finding};
  if (sim::Finding finding = memory(state)) return sim::Violation{sim::Property::memory, *finding};
  if (sim::Finding finding = disorder(state))
    return sim::Violation{sim::Property::structure, *finding};
  return {};
}

std::uint32_t AlgorithmSystem::sights(const State& state, const Step& step,
                                      const StepResult& taken) const {
  std::uint32_t seen = 0;
  auto mark = [&](bool is_seen, Sometimes sometimes) { seen |= is_seen ? bit(sometimes) : 0; };
  mark(is_fault(step.kind), Sometimes::fault);
  mark(step.kind == StepKind::cancel && state.packets() > 0, Sometimes::cancel_meets_message);
  mark(step.kind == StepKind::timer, Sometimes::timer);
  mark(taken.withdrew, Sometimes::withdrawn);
  mark(taken.joined, Sometimes::joined);
  mark(taken.left, Sometimes::left);
  return seen;
}

std::uint32_t AlgorithmSystem::sights(const State& state) const {
  int waiting = 0, inside = 0;
  for (Node node = 0; node < state.nodes(); ++node) {
    Phase phase = state.local(node).phase();
    waiting += phase == Phase::waiting;
    inside += phase == Phase::inside;
  }
  bool token = false, other = false;
  for (std::uint32_t i = 0; i < state.packets(); ++i)
    (state.packet(i).message().token() ? token : other) = true;
  std::uint32_t seen = 0;
  auto mark = [&](bool is_seen, Sometimes sometimes) { seen |= is_seen ? bit(sometimes) : 0; };
  mark(waiting >= 2, Sometimes::two_wait);
  mark(waiting >= 1 && inside >= 1, Sometimes::waits_while_inside);
  mark(inside >= 2, Sometimes::readers_together);
  mark(token && other, Sometimes::token_and_request_in_flight);
  mark(waiting >= 1 && examinable(state), Sometimes::examined);
  return seen;
}

/// Hashes what only goes up or only goes down: the newest fence, the budgets and the requests left.
std::uint64_t AlgorithmSystem::generation(const State& state) {
  Hash64 hash;
  hash.mix(state.fence());
  hash.mix(state.budgets());
  for (Node node = 0; node < state.nodes(); ++node)
    hash.mix(traits(state.local(node)).requests_left);
  return hash.value();
}

bool AlgorithmSystem::may_recur(const Step& step) const {
  return step.kind == StepKind::deliver || step.kind == StepKind::timer ||
         step.kind == StepKind::notice || step.kind == StepKind::tick ||
         step.kind == StepKind::suspect;
}

bool AlgorithmSystem::somebody_waits(const State& state) {
  if (elects_) return anybody_takes_part(state);
  for (Node node = 0; node < state.nodes(); ++node) {
    Phase phase = state.local(node).phase();
    if (phase == Phase::waiting || phase == Phase::cancelling || phase == Phase::leaving ||
        phase == Phase::joining)
      return true;
  }
  return false;
}

void AlgorithmSystem::duties(const State& state, std::vector<std::uint32_t>& duties) {
  duties.clear();
  for (std::uint32_t i = 0; i < state.packets(); ++i) duties.push_back(state.packet(i).word);
  for (Node node = 0; node < state.nodes(); ++node)
    if (state.local(node).phase() == Phase::inside) duties.push_back(to_leave);
  std::uint32_t may_notice = noticing(state);
  for (Node node = 0; node < state.nodes(); ++node)
    if ((may_notice >> node & 1) != 0) duties.push_back(to_notice | node);
}

/// Only deliveries do a duty here: no cycle contains a release or a noticed crash.
std::optional<std::uint32_t> AlgorithmSystem::duty_of(const Step& step) const {
  return step.kind == StepKind::deliver ? std::optional(step.packet.word) : std::nullopt;
}

}  // namespace conch::check
