// Carries out the effects of the group member, and decides what follows for the locks.
#include <algorithm>

#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

/// The most rounds of one `settle`: one for each local claim in line, and a few more.
constexpr unsigned rounds_max = 1'000'000;

}  // namespace

void Node::settle(Time now) {
  if (std::exchange(broken_, false)) {
    effects_.clear();
    happen(Expelled{}, now);
  }
  // Events come first: a claim that has lost its lock learns it before it does anything more.
  bool has_news = !effects_.empty();
  unsigned rounds = 0;
  do {
    CONCH_EXPECT(++rounds < rounds_max, "what follows from one call comes to an end");
    if (std::exchange(has_news, false)) carry_out(now);
    while (!touched_.empty()) {
      LocalLock& local_lock = *touched_.back();
      touched_.pop_back();
      local_lock.touched = false;
      advance(local_lock, now);
    }
    see_to_data(now);
    go_on_leaving(now);
    carry_out(now);
  } while (!touched_.empty() || !effects_.empty());
  channels_.flush(now);
}

void Node::forget_all() {
  effects_.clear();
  for (LocalLock* local_lock : std::exchange(touched_, {})) local_lock->touched = false;
}

/// Carries out pending events before the group member is told anything more. The group member
/// reports who is inside, so a claim that it has let in must be inside by then. Effects of a life
/// that has ended wait for `settle`.
void Node::catch_up(Time now) {
  if (!effects_.events.empty() && group_member_->stage() != ViewStage::out) carry_out(now);
}

/// Carries out what is pending. What follows from that is left for the next round.
void Node::carry_out(Time now) {
  if (effects_.empty()) return follow_view(now), follow_epoch();
  std::swap(effects_, carried_out_);
  for (const Introduction& each : carried_out_.introductions)
    channels_.know(each.life, each.address);
  for (const PeerInstance& life : carried_out_.forgotten) forget(life);
  follow_view(now);
  follow_epoch();
  dispatch(carried_out_);
  for (RegisterRequest& ask : carried_out_.asks) put_question(std::move(ask));
  for (const MemberEvent& event : carried_out_.events)
    std::visit([&](const auto& chosen) { happen(chosen, now); }, event);
  carried_out_.clear();
}

void Node::dispatch(const Effects& effects) {
  for (const Effects::OutgoingMessage& outgoing_message : effects.outgoing) {
    if (outgoing_message.lock && outgoing_message.data.size > 0)
      data_.enclose(outgoing_message.to, *outgoing_message.lock, outgoing_message.data);
    bool accepted = send(outgoing_message.to, effects.payload(outgoing_message));
    if (accepted)
      tell([&](Observer& observer) {
        std::string_view lock =
            outgoing_message.lock ? std::string_view(*outgoing_message.lock) : "";
        observer.sent(outgoing_message.to, {outgoing_message.type, lock, outgoing_message.size});
      });
    LocalLock* local_lock =
        outgoing_message.lock ? find_local_lock(*outgoing_message.lock) : nullptr;
    if (!local_lock) continue;
    ++local_lock->traffic.messages_sent;
    local_lock->traffic.bytes_sent += outgoing_message.size;
  }
}

/// The view has the addresses of its members. A life that it no longer mentions may still need an
/// answer, so it is forgotten only after a while.
void Node::follow_view(Time now) {
  if (!group_member_ || !group_member_->has_roster() ||
      group_member_->view().number == followed_view_.number)
    return;
  const View& view = group_member_->view();
  // Most members were there before. Both rosters are sorted.
  const Roster before = std::exchange(followed_view_, view).roster;
  auto old = before.begin();
  for (const Member& member : view.roster) {
    while (old != before.end() && old->id < member.id) ++old;
    bool is_known =
        old != before.end() && old->life() == member.life() && old->address == member.address;
    if (!is_known && member.id != life_.id) meet(member);
  }
  // A decider that leaves is not on the roster of its own view. A peer that missed the view before
  // learns the decider's address when that one connects; its report waits in the channel until
  // then.
  bool is_unknown = view.decider != life_ && known_lives_.insert(view.decider).second;
  if (is_unknown) channels_.know(view.decider, "");
  std::erase_if(unmentioned_, [&](const auto& each) { return view.mentions(each.first); });
  for (const PeerInstance& life : known_lives_)
    if (!view.mentions(life) && unmentioned_.try_emplace(life, now).second)
      std::erase(contacts_, life);
  status_survey_.follow_view(view, now);
  latency_probe_.follow_roster(now);
  world_.roster_changed(view);
  data_.follow_view(view, now);
}

void Node::meet(const Member& member) {
  channels_.know(member.life(), member.address);
  bool is_new = known_lives_.insert(member.life()).second;
  if (is_new && !options_.has_register) ask_terms(member.life());
}

void Node::follow_epoch() {
  if (!group_member_ || group_member_->epoch() == epoch_) return;
  epoch_ = group_member_->epoch();
  if (epoch_ == Epoch{0}) return;  // A new life is in no epoch yet.
  ++counts_.epochs;
  tell([&](Observer& observer) { observer.installed(epoch_, group_member_->view()); });
  // The peer that readers were held back for may be gone. While readers are inside nobody writes,
  // and readers that join them in this epoch get its first fence.
  for (auto& [name, local_lock] : local_locks_) {
    if (local_lock->queue.has_readers_inside())
      local_lock->fence = std::max(local_lock->fence, Fence(epoch_, 0));
    if (local_lock->queue.has_readers_in_line()) touch(*local_lock);
  }
}

// The locks.

void Node::take_place(Claim& claim, LocalLock& local_lock, Time now) {
  claim.state = Claim::State::waiting;
  claim.asked = now;
  claim.before = local_lock.traffic;
  claim.local_lock = &local_lock;
  local_lock.queue.add(claim);
  tell([&](Observer& observer) { observer.asked(local_lock.name, claim.mode); });
  touch(local_lock);
}

void Node::drop_place(Claim& claim, Time now) {
  if (!observers_.empty()) tell_end(claim, now);
  if (claim.is_command()) let_go(claim, now);
  claim.state = Claim::State::idle;
  claim.local_lock->queue.remove(claim);
  touch(*claim.local_lock);
}

/// For an end that the claim's owner has chosen; losses are told elsewhere.
void Node::tell_end(const Claim& claim, Time now) {
  const std::string& lock = claim.local_lock->name;
  tell([&](Observer& observer) {
    if (claim.state == Claim::State::inside) observer.left(lock, claim.mode, claim.held(now));
    if (claim.state == Claim::State::waiting) observer.withdrew(lock, claim.mode);
  });
}

void Node::advance(LocalLock& local_lock, Time now) {
  while (group_member_ && group_member_->stage() != ViewStage::out) {
    auto may_join = [&] { return may_join_readers(now); };
    auto may_be_wanted = [&] { return group_member_->may_be_wanted(local_lock.name); };
    std::optional<LocalQueue::Step> step = local_lock.queue.next(entered_, may_join, may_be_wanted);
    admit(local_lock, now);
    if (!step) return;
    switch (step->kind) {
      case LocalQueue::Step::Kind::ask:
        group_member_->request(local_lock.name, {step->mode, {}}, effects_.at(now));
        break;
      case LocalQueue::Step::Kind::withdraw:
        group_member_->cancel(local_lock.name, effects_.at(now));
        break;
      case LocalQueue::Step::Kind::release:
        group_member_->release(local_lock.name, local_lock.data, effects_.at(now));
        break;
    }
  }
}

/// Readers may join those inside without asking the group: this peer has a lease, and nobody reads
/// with a larger fence.
bool Node::may_join_readers(Time now) const {
  return group_member_->stage() == ViewStage::working && group_member_->has_lease(now);
}

void Node::admit(LocalLock& local_lock, Time now) {
  for (Claim* claim : entered_) {
    const LockTraffic& traffic = local_lock.traffic;
    claim->state = Claim::State::inside;
    claim->fence = local_lock.fence;
    claim->life = life_;
    if (claim->is_command() && commands_[life_]++ == 0) group_member_->hold_fast(true);
    claim->receipt = {now - claim->asked, traffic.messages_sent - claim->before.messages_sent,
                      traffic.messages_received - claim->before.messages_received,
                      traffic.bytes_sent - claim->before.bytes_sent,
                      traffic.bytes_received - claim->before.bytes_received};
    ++counts_.entries;
    bool came = std::exchange(local_lock.came, false);
    if (came) ++counts_.handovers;
    tell([&](Observer& observer) {
      observer.entered(local_lock.name, {claim->mode, claim->fence, now - claim->asked, came});
    });
    claim->changed();
  }
  entered_.clear();
}

void Node::lose(LocalLock& local_lock, Time now) {
  std::vector<Claim*> losers;
  local_lock.queue.lost(losers);
  for (Claim* claim : losers) {
    tell(
        [&](Observer& observer) { observer.lost(local_lock.name, claim->mode, claim->held(now)); });
    claim->state = Claim::State::lost;
    ++counts_.losses;
    claim->changed();
  }
  touch(local_lock);
}

void Node::happen(const Granted& event, Time now) {
  LocalLock* local_lock = find_local_lock(event.lock);
  CONCH_EXPECT(local_lock, "a lock that was asked for has a local lock");
  bool used_here = local_lock->fence != Fence{};
  local_lock->came = used_here ? event.baton.fence.number() != local_lock->fence.number() + 1
                               : local_lock->traffic.messages_received > 0;
  local_lock->fence = event.baton.fence;
  local_lock->data = event.baton.data;
  local_lock->rolled_back = event.rolled_back;
  local_lock->inside_since = now;
  local_lock->queue.granted(entered_);
  admit(*local_lock, now);
  touch(*local_lock);
}

void Node::happen(const DataMoved& event, Time) {
  LocalLock* local_lock = find_local_lock(event.lock);
  CONCH_EXPECT(local_lock, "a lock that is held has a local lock");
  local_lock->data = event.data;
  local_lock->rolled_back = event.rolled_back;
  for (Claim* claim : std::vector(local_lock->queue.inside())) claim->moved();
}

void Node::happen(const Withdrew& event, Time) {
  LocalLock* local_lock = find_local_lock(event.lock);
  CONCH_EXPECT(local_lock, "a lock that was asked for has a local lock");
  local_lock->queue.withdrew();
  touch(*local_lock);
}

/// Told for each lock before an expulsion, and for a lock that was forced open.
void Node::happen(const LockLost& event, Time now) {
  if (LocalLock* local_lock = find_local_lock(event.lock)) lose(*local_lock, now);
}

void Node::happen(const Opened& event, Time) { status_survey_.opened(event.lock); }

void Node::happen(const Admitted&, Time now) {
  if (phase_ == PeerPhase::joining) {
    restore_data();
    enter_phase(PeerPhase::member);
  }
  status_survey_.admitted(now);
  tell([](Observer& observer) { observer.admitted(); });
  if (std::exchange(expelled_, false))
    log("is in the group again, as a new member", LogLevel::info);
}

void Node::happen(const Expelled&, Time now) {
  // If the group does not wait for the commands, their keepers must kill them at once.
  bool is_waited_for = group_member_ && group_member_->holds_fast();
  if (group_member_ && has_lease(now) && !is_waited_for) world_.end_lease();
  for (auto& [name, local_lock] : local_locks_) lose(*local_lock, now);
  if (phase_ == PeerPhase::leaving) return enter_phase(PeerPhase::gone);
  if (phase_ == PeerPhase::member) {
    log("was out of contact for too long, or was evicted: the locks that it held are lost",
        LogLevel::error);
    expelled_ = true;
  }
  be_born(now);
}

void Node::happen(const Departed&, Time) { enter_phase(PeerPhase::gone); }

void Node::happen(const JoinRefused& event, Time now) {
  failure_ = event.why;
  if (phase_ != PeerPhase::joining) log(event.why, LogLevel::error);
  enter_phase(PeerPhase::failed);
  turn_everybody_out(now);
}

void Node::happen(const LockArmed& event, Time now) {
  timers_.arm(event.lock, event.armed.timer, event.epoch,
              now + world_.draw(event.armed.min, event.armed.max));
}

void Node::happen(const LockDisarmed& event, Time) { timers_.disarm(event.lock, event.timer); }

}  // namespace conch::node
