// What the steward wants done, and what follows for the locks.
#include <algorithm>

#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

/// How often `settle` goes round: once for each local claim in line at the most, and some more.
constexpr unsigned rounds_max = 1'000'000;

}  // namespace

void Node::settle(Time now) {
  if (std::exchange(broken_, false)) {
    effects_.clear();
    happen(Expelled{}, now);
  }
  // Who has lost a lock hears of it before it does anything more with it.
  bool has_news = !effects_.empty();
  unsigned rounds = 0;
  do {
    CONCH_EXPECT(++rounds < rounds_max, "what follows from one call comes to an end");
    if (std::exchange(has_news, false)) carry_out(now);
    while (!touched_.empty()) {
      LockDesk& desk = *touched_.back();
      touched_.pop_back();
      desk.touched = false;
      advance(desk, now);
    }
    see_to_data(now);
    go_on_leaving(now);
    carry_out(now);
  } while (!touched_.empty() || !effects_.empty());
  channels_.flush(now);
}

void Node::forget_all() {
  effects_.clear();
  for (LockDesk* desk : std::exchange(touched_, {})) desk->touched = false;
}

/// Before the steward is told more: it answers for who is inside, so whoever it has let in is.
/// What a life that has ended leaves to be done waits for `settle`.
void Node::catch_up(Time now) {
  if (!effects_.events.empty() && steward_->stage() != Stage::out) carry_out(now);
}

/// Carries out what is pending; what that leads to is left for the next round.
void Node::carry_out(Time now) {
  if (effects_.empty()) return follow_view(now), follow_epoch();
  std::swap(effects_, carried_out_);
  for (const Introduction& each : carried_out_.introductions)
    channels_.know(each.life, each.address);
  for (const Life& life : carried_out_.forgotten) forget(life);
  follow_view(now);
  follow_epoch();
  dispatch(carried_out_);
  for (Ask& ask : carried_out_.asks) put_question(std::move(ask));
  for (const Event& event : carried_out_.events)
    std::visit([&](const auto& chosen) { happen(chosen, now); }, event);
  carried_out_.clear();
}

void Node::dispatch(const Effects& effects) {
  for (const Effects::Parcel& parcel : effects.parcels) {
    if (parcel.lock && parcel.data.size > 0) data_.enclose(parcel.to, *parcel.lock, parcel.data);
    bool accepted = send(parcel.to, effects.payload(parcel));
    if (accepted)
      tell([&](Witness& witness) {
        std::string_view lock = parcel.lock ? std::string_view(*parcel.lock) : "";
        witness.sent(parcel.to, {parcel.type, lock, parcel.size});
      });
    LockDesk* desk = parcel.lock ? find_desk(*parcel.lock) : nullptr;
    if (!desk) continue;
    ++desk->traffic.messages_sent;
    desk->traffic.bytes_sent += parcel.size;
  }
}

/// Members' addresses are in the view. Who is no longer mentioned may still need an answer.
void Node::follow_view(Time now) {
  if (!steward_ || !steward_->has_roster() || steward_->view().number == followed_view_) return;
  const View& view = steward_->view();
  followed_view_ = view.number;
  for (const Member& member : view.roster) {
    if (member.id == life_.id) continue;
    channels_.know(member.life(), member.address);
    bool is_new = known_lives_.try_emplace(member.life()).second;
    if (is_new && !options_.has_register) ask_terms(member.life());
  }
  // One that leaves is not on the roster of the view that it decides. Who has missed the one before
  // learns its address when it calls, and has a report for it by then.
  bool is_unknown = view.decider != life_ && known_lives_.try_emplace(view.decider).second;
  if (is_unknown) channels_.know(view.decider, "");
  for (auto& [life, unmentioned] : known_lives_) {
    if (view.mentions(life)) {
      unmentioned.reset();
    } else if (!unmentioned) {
      unmentioned = now;
      std::erase(contacts_, life);
    }
  }
  inquiries_.follow_view(view, now);
  rangefinder_.follow_roster(now);
  world_.roster_changed(view);
  data_.follow_view(view, now);
}

void Node::follow_epoch() {
  if (!steward_ || steward_->epoch() == epoch_) return;
  epoch_ = steward_->epoch();
  if (epoch_ == Epoch{0}) return;  // A new life is in none yet.
  ++counts_.epochs;
  tell([&](Witness& witness) { witness.installed(epoch_, steward_->view()); });
  // Whoever readers were held back for may be gone. While they are inside nobody writes, and others
  // who come to read in this epoch get its first fence.
  for (auto& [name, desk] : desks_) {
    if (desk->queue.has_readers_inside()) desk->fence = std::max(desk->fence, Fence(epoch_, 0));
    if (desk->queue.has_readers_in_line()) touch(*desk);
  }
}

// The locks.

void Node::take_place(Claim& claim, LockDesk& desk, Time now) {
  claim.state = Claim::State::waiting;
  claim.asked = now;
  claim.before = desk.traffic;
  claim.desk = &desk;
  desk.queue.add(claim);
  tell([&](Witness& witness) { witness.asked(desk.name, claim.mode); });
  touch(desk);
}

void Node::drop_place(Claim& claim, Time now) {
  if (!witnesses_.empty()) tell_end(claim, now);
  if (claim.is_command()) let_go(claim, now);
  claim.state = Claim::State::idle;
  claim.desk->queue.remove(claim);
  touch(*claim.desk);
}

/// By its own will.
void Node::tell_end(const Claim& claim, Time now) {
  const std::string& lock = claim.desk->name;
  tell([&](Witness& witness) {
    if (claim.state == Claim::State::inside) witness.left(lock, claim.mode, claim.held(now));
    if (claim.state == Claim::State::waiting) witness.withdrew(lock, claim.mode);
  });
}

void Node::advance(LockDesk& desk, Time now) {
  while (steward_ && steward_->stage() != Stage::out) {
    auto may_join = [&] { return may_join_readers(now); };
    auto may_be_wanted = [&] { return steward_->may_be_wanted(desk.name); };
    std::optional<LocalQueue::Step> step = desk.queue.next(entered_, may_join, may_be_wanted);
    admit(desk, now);
    if (!step) return;
    switch (step->kind) {
      case LocalQueue::Step::Kind::ask:
        steward_->request(desk.name, {step->mode, {}}, effects_.at(now));
        break;
      case LocalQueue::Step::Kind::withdraw: steward_->cancel(desk.name, effects_.at(now)); break;
      case LocalQueue::Step::Kind::release:
        steward_->release(desk.name, desk.data, effects_.at(now));
        break;
    }
  }
}

/// Readers join without asking the group: there is a lease, and nobody reads with a larger fence.
bool Node::may_join_readers(Time now) const {
  return steward_->stage() == Stage::working && steward_->has_lease(now);
}

void Node::admit(LockDesk& desk, Time now) {
  for (Claim* claim : entered_) {
    const Traffic& traffic = desk.traffic;
    claim->state = Claim::State::inside;
    claim->fence = desk.fence;
    claim->life = life_;
    if (claim->is_command() && commands_[life_]++ == 0) steward_->hold_fast(true);
    claim->receipt = {now - claim->asked, traffic.messages_sent - claim->before.messages_sent,
                      traffic.messages_received - claim->before.messages_received,
                      traffic.bytes_sent - claim->before.bytes_sent,
                      traffic.bytes_received - claim->before.bytes_received};
    ++counts_.entries;
    bool came = std::exchange(desk.came, false);
    if (came) ++counts_.handovers;
    tell([&](Witness& witness) {
      witness.entered(desk.name, {claim->mode, claim->fence, now - claim->asked, came});
    });
    claim->changed();
  }
  entered_.clear();
}

void Node::lose(LockDesk& desk, Time now) {
  std::vector<Claim*> losers;
  desk.queue.lost(losers);
  for (Claim* claim : losers) {
    tell([&](Witness& witness) { witness.lost(desk.name, claim->mode, claim->held(now)); });
    claim->state = Claim::State::lost;
    ++counts_.losses;
    claim->changed();
  }
  touch(desk);
}

void Node::happen(const Granted& event, Time now) {
  LockDesk* desk = find_desk(event.lock);
  CONCH_EXPECT(desk, "a lock that was asked for has a desk");
  bool used_here = desk->fence != Fence{};
  desk->came = used_here ? event.baton.fence.number() != desk->fence.number() + 1
                         : desk->traffic.messages_received > 0;
  desk->fence = event.baton.fence;
  desk->data = event.baton.data;
  desk->rolled_back = event.rolled_back;
  desk->inside_since = now;
  desk->queue.granted(entered_);
  admit(*desk, now);
  touch(*desk);
}

void Node::happen(const Moved& event, Time) {
  LockDesk* desk = find_desk(event.lock);
  CONCH_EXPECT(desk, "a lock that is held has a desk");
  desk->data = event.data;
  desk->rolled_back = event.rolled_back;
  for (Claim* claim : std::vector(desk->queue.inside())) claim->moved();
}

void Node::happen(const Withdrew& event, Time) {
  LockDesk* desk = find_desk(event.lock);
  CONCH_EXPECT(desk, "a lock that was asked for has a desk");
  desk->queue.withdrew();
  touch(*desk);
}

/// Told for each lock before an expulsion, or when somebody has forced a lock open.
void Node::happen(const Lost& event, Time now) {
  if (LockDesk* desk = find_desk(event.lock)) lose(*desk, now);
}

void Node::happen(const Opened& event, Time) { inquiries_.opened(event.lock); }

void Node::happen(const Admitted&, Time now) {
  if (phase_ == Phase::joining) {
    restore_data();
    enter_phase(Phase::member);
  }
  inquiries_.admitted(now);
  tell([](Witness& witness) { witness.admitted(); });
  if (std::exchange(expelled_, false)) log("is in the group again, as a new life", LogLevel::info);
}

void Node::happen(const Expelled&, Time now) {
  // Those whom nobody waits for are killed at once.
  bool is_waited_for = steward_ && steward_->holds_fast();
  if (steward_ && has_lease(now) && !is_waited_for) world_.end_lease();
  for (auto& [name, desk] : desks_) lose(*desk, now);
  if (phase_ == Phase::leaving) return enter_phase(Phase::gone);
  if (phase_ == Phase::member) {
    log("was out of touch for too long, or was evicted: what it held is lost", LogLevel::error);
    expelled_ = true;
  }
  be_born(now);
}

void Node::happen(const Departed&, Time) { enter_phase(Phase::gone); }

void Node::happen(const Refused& event, Time now) {
  failure_ = event.why;
  if (phase_ != Phase::joining) log(event.why, LogLevel::error);
  enter_phase(Phase::failed);
  turn_everybody_out(now);
}

void Node::happen(const LockArmed& event, Time now) {
  timers_.arm(event.lock, event.armed.timer, event.epoch,
              now + world_.draw(event.armed.min, event.armed.max));
}

void Node::happen(const LockDisarmed& event, Time) { timers_.disarm(event.lock, event.timer); }

}  // namespace conch::node
