#include "election/bully.hpp"

#include <utility>

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
      timeouts_{start.tuning.answer_timeout, start.tuning.coordinator_timeout} {}

namespace {

std::optional<TimerId> timer_of(Stance stance) {
  switch (stance) {
    case Stance::bystander: return {};
    case Stance::asking:
    case Stance::standing: return Bully::answer_timer;
    case Stance::listening:
    case Stance::waiting: return Bully::announcement_timer;
  }
  return {};
}

}  // namespace

template <class M, class Which>
void Bully::tell(const M& message, Which&& which, Out& out) {
  for (NodeId node : members_)
    if (node != self_ && which(node)) out.send(node, message);
}

/// Every stance except bystander has a timer, which ends it.
void Bully::take(Stance stance, Out& out) {
  std::optional<TimerId> before = timer_of(stance_);
  std::optional<TimerId> timer = timer_of(stance);
  if (before && before != timer) out.disarm(*before);
  stance_ = stance;
  if (!timer) return;
  Duration delay = *timer == answer_timer ? timeouts_.answer : timeouts_.announcement;
  out.arm(*timer, delay, delay);
}

// Elections.

void Bully::elect(Out& out) {
  if (stance_ == Stance::bystander || stance_ == Stance::asking) return begin_anew(out);
  elected_.reset();  // a listener must not rely on it
}

void Bully::begin_anew(Out& out) {
  if (round_ > 0) ++round_;
  begin(out);
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
      Election{round_}, [&](NodeId node) { return node > self_; }, out);
  take(Stance::standing, out);
}

void Bully::announce(Out& out) {
  accept(self_, out);
  auto hears = [&](NodeId node) { return node < self_ || retirees_.contains(node); };
  tell(Coordinator{round_}, hears, out);
}

void Bully::accept(NodeId coordinator, Out& out) {
  elected_ = coordinator;
  take(Stance::bystander, out);
}

void Bully::receive(NodeId from, const Election& m, Out& out) {
  retirees_.erase(from);
  bool decided = elected_ && elected_ != from && m.round <= round_;
  bool newer = m.round > round_;
  bool older = m.round == 0 || m.round < round_;
  round_ = std::max(round_, m.round);
  if (retired_) return out.send(from, Decline{});
  out.send(from, Answer{});
  if (!decided)
    newer&& stance_ == Stance::bystander ? begin(out) : elect(out);
  else if (older)
    out.send(from, Standing{*elected_, round_});
}

void Bully::receive(NodeId from, const Answer&, Out& out) {
  retirees_.erase(from);
  if (stance_ == Stance::standing) take(Stance::waiting, out);
}

void Bully::receive(NodeId from, const Coordinator& m, Out& out) {
  retirees_.erase(from);
  round_ = std::max(round_, m.round);
  bool beneath = from < self_ && !polite() && !retired_;
  if (beneath) return;  // the sender does not know that we are no retiree any more
  if (stance_ != Stance::listening) return accept(from, out);
  elected_ = from;
}

void Bully::timer(TimerId, Out& out) {
  switch (stance_) {
    case Stance::bystander: return;
    case Stance::listening:
      if (elected_) return take(Stance::bystander, out);
      return polite() ? ask(out) : begin_anew(out);
    case Stance::asking: return begin_anew(out);
    case Stance::standing: return announce(out);
    case Stance::waiting: return std::exchange(retired_, false) ? restart(out) : begin_anew(out);
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
  // Two retired members would answer each other for ever.
  if (!retired_) elect(out);
}

void Bully::receive(NodeId from, const Decline&, Out&) { retirees_.insert(from); }

// Restarts.

void Bully::restart(Out& out) {
  round_ = 0;
  listen(out);
}

void Bully::listen(Out& out) {
  elected_.reset();
  take(Stance::listening, out);
}

void Bully::ask(Out& out) {
  if (self_ == members_[0]) return begin_anew(out);
  tell(
      Status{}, [&](NodeId node) { return node < self_; }, out);
  take(Stance::asking, out);
}

void Bully::receive(NodeId from, const Status&, Out& out) {
  retirees_.erase(from);
  if (elected_ == from) return listen(out);
  if (elected_) out.send(from, Standing{*elected_, round_});
}

void Bully::receive(NodeId, const Standing& m, Out& out) {
  bool seeks = !retired_ && stance_ != Stance::bystander && stance_ != Stance::listening;
  bool fits = m.coordinator != self_ && (polite() || m.coordinator > self_);
  // A STANDING from before the coordinator retired may arrive after its RETIRE.
  if (!seeks || !fits || m.round < round_ || retirees_.contains(m.coordinator)) return;
  round_ = m.round;
  accept(m.coordinator, out);
}

}  // namespace conch
