#include "election/bully.hpp"

namespace conch {

static_assert(Restarting<Bully> && Timed<Bully>);

std::string_view word(Stance stance) {
  switch (stance) {
    case Stance::bystander: return "bystander";
    case Stance::listening: return "listening";
    case Stance::asking: return "asking";
    case Stance::standing: return "standing";
    case Stance::waiting: return "waiting";
  }
  return "?";
}

Bully::Bully(NodeId self, const Assignment& start)
    : self_(self),
      members_(start.members),
      manners_(start.tuning.manners),
      without_(start.tuning.without),
      timeouts_{start.tuning.answer_timeout, start.tuning.coordinator_timeout} {}

template <class M, class Which>
void Bully::tell(const M& message, Which&& which, Out& out) {
  for (NodeId node : members_)
    if (node != self_ && which(node)) out.send(node, message);
}

/// Every stance but the bystander's ends with a timer.
void Bully::take(Stance stance, Out& out) {
  if (participant()) {
    out.disarm(stance_ == Stance::waiting ? announcement_timer : answer_timer);
  }
  stance_ = stance;
  if (stance == Stance::bystander) return;
  if (stance == Stance::waiting) {
    out.arm(announcement_timer, timeouts_.announcement, timeouts_.announcement);
  } else {
    out.arm(answer_timer, timeouts_.answer, timeouts_.answer);
  }
}

// Elections.

void Bully::elect(Out& out) {
  if (!in_election()) begin(out);
}

void Bully::begin(Out& out) {
  elected_.reset();
  if (retired_) {
    tell(
        Retire{}, [](NodeId) { return true; }, out);
    return take(Stance::waiting, out);
  }
  if (self_ == members_[members_.size() - 1]) return announce(out);
  tell(
      Election{}, [&](NodeId node) { return node > self_; }, out);
  take(Stance::standing, out);
}

void Bully::announce(Out& out) {
  accept(self_, out);
  bool to_all = polite() && without_ != Without::announcing_to_all;
  auto hears = [&](NodeId node) { return node < self_ || to_all || retirees_.contains(node); };
  tell(Coordinator{}, hears, out);
}

void Bully::accept(NodeId coordinator, Out& out) {
  elected_ = coordinator;
  take(Stance::bystander, out);
}

void Bully::receive(NodeId from, const Election&, Out& out) {
  retirees_.erase(from);
  if (retired_) return out.send(from, Decline{});
  out.send(from, Answer{});
  elect(out);
}

void Bully::receive(NodeId from, const Answer&, Out& out) {
  retirees_.erase(from);
  if (stance_ == Stance::standing) take(Stance::waiting, out);
}

void Bully::receive(NodeId from, const Coordinator&, Out& out) {
  retirees_.erase(from);
  if (in_election() && !retired_ && from < self_) return;
  bool contested = elected_ && from < *elected_ && without_ != Without::contest;
  contested ? begin(out) : accept(from, out);
}

void Bully::timer(TimerId, Out& out) {
  switch (stance_) {
    case Stance::bystander: return;
    case Stance::listening: return ask(out);
    case Stance::asking: return begin(out);
    case Stance::standing: return announce(out);
    case Stance::waiting:
      if (without_ == Without::second_election) return;
      retired_ = false;
      return begin(out);
  }
}

// Retirement.

void Bully::retire(Out& out) {
  CONCH_EXPECT(elected_ == self_, "only the coordinator retires");
  retired_ = true;
  begin(out);
}

void Bully::receive(NodeId from, const Retire&, Out& out) {
  retirees_.insert(from);
  if (!retired_) elect(out);  // or two that have retired would send one another round and round
}

void Bully::receive(NodeId from, const Decline&, Out&) { retirees_.insert(from); }

// Restarts.

void Bully::restart(Out& out) {
  if (!polite()) return begin(out);
  without_ == Without::listening ? ask(out) : take(Stance::listening, out);
}

void Bully::ask(Out& out) {
  if (self_ == members_[0]) return begin(out);
  tell(
      Status{}, [&](NodeId node) { return node < self_; }, out);
  take(Stance::asking, out);
}

void Bully::receive(NodeId from, const Status&, Out& out) {
  retirees_.erase(from);
  if (elected_) out.send(from, Standing{*elected_});
}

void Bully::receive(NodeId, const Standing& m, Out& out) {
  if (stance_ == Stance::asking && m.coordinator != self_) accept(m.coordinator, out);
}

}  // namespace conch
