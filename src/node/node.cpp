#include "node/node.hpp"

#include <algorithm>

#include "node/charter.hpp"
#include "node/names.hpp"
#include "node/overlay_member.hpp"
#include "recovery/leased_member.hpp"

namespace conch::node {

using namespace recovery;
using std::chrono::seconds;

namespace {

constexpr Duration bequeathing_patience = seconds(10);
constexpr Duration leave_patience = seconds(10);
constexpr Duration housekeeping_period_max = seconds(1);
constexpr Duration forgetting_period = seconds(10);
/// How many former neighbours it remembers, to join through them again.
constexpr std::size_t remembered_max = 8;
/// A peer without a lease for so many lease lengths begins a new life, if it reaches the register
/// only through others.
constexpr int vain_leases_max = 8;

}  // namespace

Node::Node(NodeOptions options, World& world, wire::Network& network)
    : options_(std::move(options)),
      world_(world),
      life_(options_.self.life()),
      channels_({{life_, options_.group,
                  is_ring() ? text_of(*options_.ring) : std::string(algorithm().about.name),
                  options_.self.speaks},
                 options_.self.address},
                network, *this),
      data_(world, *this, *this),
      clients_(*this),
      status_survey_(*this),
      claim_survey_(*this),
      latency_probe_(*this),
      lock_delay_(options_.lock_delay) {}

// Lives.

/// Begins the first life, or the next one when the last is of no use any more.
void Node::be_born(Time now) {
  bool is_first = !group_member_;  // In its first life the peer has introduced itself already.
  if (!is_first) renew_life(now);
  world_.begin_life(life_);
  data_.live_as(life_);
  if (!is_first) find_contacts_again(now);
  born_ = now;
  tell([&](Observer& observer) { observer.born(life_); });
  followed_view_ = {};
  timers_.clear();
  next_housekeeping_ = contacts_sought_ = born_;
  if (is_ring()) return be_born_in_ring(now);
  Member self = options_.self;
  self.incarnation = life_.incarnation;
  auto copies = [this] { return data_.new_copies(); };
  recovery::Charter charter = charter_of(*options_.algorithm, options_.eps, options_.tuning);
  charter.policy = options_.policy;
  charter.entries_max = options_.entries_max.value_or(charter.entries_max);
  auto access = options_.has_register ? LeasedMember::Access::own : LeasedMember::Access::others;
  group_member_ =
      std::make_unique<recovery::LeasedMember>(self, charter, options_.terms, copies, access);
  group_member_->delay_locks(lock_delay_, effects_.at(born_));
  group_member_->start(effects_.at(born_));
  for (auto& [name, local_lock] : local_locks_) touch(*local_lock);
}

void Node::renew_life(Time now) {
  life_.incarnation = world_.draw_incarnation(life_.incarnation);
  channels_.live_as(life_, now);
  unreachable_.clear();  // The new life has new channels.
}

void Node::begin_anew(Time now) {
  for (auto& [name, local_lock] : local_locks_) lose(*local_lock, now);
  be_born(now);
}

void Node::be_born_in_ring(Time now) {
  if (group_member_) remember_neighbours();
  Member self = options_.self;
  self.incarnation = life_.incarnation;
  auto seed = static_cast<std::uint64_t>(world_.draw({}, Duration::max()).count());
  group_member_ = make_overlay_member(
      {self, *options_.ring, options_.ring_contacts, seed, {world_.fence_floor(), born_}});
  group_member_->start(effects_.at(now));
  for (auto& [name, local_lock] : local_locks_) touch(*local_lock);
}

/// The neighbours are the contacts through which it would join again.
void Node::remember_neighbours() {
  std::vector<Introduction>& contacts = options_.ring_contacts;
  for (const Member& member : group_member_->view().roster) {
    if (member.id == life_.id) continue;
    std::erase_if(contacts, [&](const Introduction& each) { return each.life.id == member.id; });
    contacts.insert(contacts.begin(), {member.life(), member.address});
  }
  if (contacts.size() > remembered_max) contacts.resize(remembered_max);
}

void Node::enter_phase(PeerPhase phase) {
  phase_ = phase;
  world_.phase_changed();
}

// Time.

Time Node::wakes() const {
  Time own =
      std::min({channels_.wakes(), timers_.next(), clients_.wakes(), status_survey_.wakes(),
                claim_survey_.wakes(), latency_probe_.wakes(), data_.wakes(), next_housekeeping_});
  if (group_member_) own = std::min(own, group_member_->wakes());
  if (phase_ == PeerPhase::leaving) own = std::min({own, commands_until_, leaves_until_});
  return own;
}

void Node::tick(Time now) {
  channels_.tick(now);
  if (!group_member_ && next_housekeeping_ <= now) seek(now);
  if (!group_member_ || broken_) return;
  catch_up(now);
  if (group_member_->wakes() <= now) group_member_->tick(effects_.at(now));
  while (auto due = timers_.take(now))
    group_member_->timer(due->lock, due->epoch, due->timer, effects_.at(now));
  clients_.look_after(now);
  status_survey_.look_after(now);
  claim_survey_.look_after(now);
  latency_probe_.look_after(now);
  data_.look_after(now);
  if (next_housekeeping_ <= now) keep_house(now);
}

void Node::keep_house(Time now) {
  next_housekeeping_ = now + std::min(options_.terms.length / 8, housekeeping_period_max);
  world_.keep_house();
  // A peer outside the group sees no views, so it does not learn that its contacts have died.
  bool asks_others = !options_.has_register && !is_ring();
  bool asks_in_vain =
      !group_member_->lease_until() && contacts_sought_ + options_.terms.length < now;
  if (asks_in_vain && asks_others) {
    // The contacts may have lost their channel to this life. Nobody evicts it: it is no member.
    if (born_ + vain_leases_max * options_.terms.length < now) return begin_anew(now);
    find_contacts_again(now);
  }
  if (asks_others && contacts_.empty())
    for (const std::string& address : options_.join) channels_.contact(address);
  for (const auto& [life, unacknowledged] : channels_.unacknowledged(now))
    group_member_->silent(life, unacknowledged, effects_.at(now));
  suspect_unreachable(now);
  std::erase_if(unmentioned_, [&](const auto& each) {
    const auto& [life, since] = each;
    bool is_forgotten = since + 2 * options_.terms.length < now;
    if (is_forgotten) known_lives_.erase(life);
    if (is_forgotten) forget(life);
    return is_forgotten;
  });
  if (now < next_forgetting_) return;
  next_forgetting_ = now + forgetting_period;
  group_member_->forget_idle(now);
  drop_idle_local_locks();
}

/// Repeated, because the register may have accepted another view first.
void Node::suspect_unreachable(Time now) {
  for (const PeerInstance& life : unreachable_)
    if (group_member_->view().roster.contains(life)) group_member_->suspect(life, effects_.at(now));
}

void Node::forget(const PeerInstance& life) {
  channels_.forget(life);
  tell([&](Observer& observer) { observer.forgot(life); });
  unreachable_.erase(life);
}

// Leaving.

void Node::leave(Time now) {
  if (phase_ != PeerPhase::member && phase_ != PeerPhase::joining) return;
  was_member_ = phase_ == PeerPhase::member;
  enter_phase(PeerPhase::leaving);
  refuse_waiting(now);
  // The keepers end their commands within that time.
  commands_until_ = ask_to_let_go() ? now + command_patience() : now;
  farewell_ = Farewell::commands;
}

/// A peer leaves when nothing is held, waited for or being withdrawn.
void Node::go_on_leaving(Time now) {
  if (phase_ != PeerPhase::leaving) return;
  if (farewell_ == Farewell::commands && (!has_commands_inside() || commands_until_ <= now)) {
    commands_until_ = Time::max();
    turn_everybody_out(now);
    farewell_ = Farewell::data;
    if (was_member_) data_.bequeath(now + bequeathing_patience, now);
  }
  if (farewell_ == Farewell::data && (!was_member_ || data_.is_bequeathed())) {
    leaves_until_ = now + leave_patience;
    farewell_ = Farewell::locks;
  }
  if (farewell_ == Farewell::locks && is_idle()) {
    farewell_ = Farewell::said;
    bool is_in = group_member_ && group_member_->stage() != ViewStage::outside &&
                 group_member_->stage() != ViewStage::out;
    if (!is_in) return enter_phase(PeerPhase::gone);
    group_member_->leave(effects_.at(now));
  }
  if (leaves_until_ > now) return;
  log("could not leave in time: its lease ends as if it had crashed");
  enter_phase(PeerPhase::gone);
}

bool Node::is_idle() const {
  return std::all_of(local_locks_.begin(), local_locks_.end(),
                     [](const auto& each) { return each.second->queue.idle(); });
}

void Node::refuse_waiting(Time now) {
  for (auto& [name, local_lock] : local_locks_) {
    for (Claim* claim : std::vector(local_lock->queue.waiting())) {
      local_lock->queue.remove(*claim);
      tell_end(*claim, now);
      claim->state = Claim::State::refused;
      claim->changed();
    }
    touch(*local_lock);
  }
}

/// Asks all claims inside to let go. True if commands are inside: they need some time for it.
bool Node::ask_to_let_go() {
  for (auto& [name, local_lock] : local_locks_)
    for (Claim* claim : local_lock->queue.inside()) claim->asked_to_let_go();
  return has_commands_inside();
}

bool Node::has_commands_inside() const {
  return std::any_of(local_locks_.begin(), local_locks_.end(), [](const auto& each) {
    const std::vector<Claim*>& inside = each.second->queue.inside();
    return std::any_of(inside.begin(), inside.end(),
                       [](const Claim* claim) { return claim->is_command(); });
  });
}

/// From here on no claim of this process holds or waits for anything.
void Node::turn_everybody_out(Time now) {
  refuse_waiting(now);
  for (auto& [name, local_lock] : local_locks_) {
    for (Claim* claim : std::vector(local_lock->queue.inside())) {
      local_lock->queue.remove(*claim);
      tell([&](Observer& observer) { observer.lost(name, claim->mode, claim->held(now)); });
      claim->state = Claim::State::lost;
      claim->changed();
    }
    touch(*local_lock);
  }
}

// Local locks.

LocalLock* Node::find_local_lock(std::string_view lock) {
  auto found = local_locks_.find(lock);
  return found == local_locks_.end() ? nullptr : found->second.get();
}

LocalLock& Node::local_lock_at(const std::string& lock) {
  std::unique_ptr<LocalLock>& local_lock = local_locks_[lock];
  if (!local_lock) local_lock = std::make_unique<LocalLock>(lock, options_.shared_entries);
  return *local_lock;
}

void Node::close_local_lock(LocalLock& local_lock) {
  if (--local_lock.users == 0 && local_lock.queue.idle())
    local_locks_.erase(local_locks_.find(local_lock.name));
}

/// Drops the local locks of clients that have left: clients do not close their local locks.
void Node::drop_idle_local_locks() {
  std::erase_if(local_locks_, [](const auto& each) {
    const LocalLock& local_lock = *each.second;
    return local_lock.users == 0 && local_lock.queue.idle() && !local_lock.touched;
  });
}

void Node::touch(LocalLock& local_lock) {
  if (std::exchange(local_lock.touched, true)) return;
  touched_.push_back(&local_lock);
}

std::string Node::why_not_shared() const {
  return std::string(options_.algorithm->about.name) +
         " has no shared locks; start the group with --algorithm elmp or central";
}

// Commands that run under locks of this peer.

template <class M>
void Node::tell_asker(const PeerInstance& asker, PayloadKind kind, const M& m, Time now) {
  if (asker == life_) return status_survey_.told(asker, m, now);
  send(asker, packed(kind, m));
}

/// The command of this claim has ended. With the last command of a life that was evicted, that life
/// ends too, and the others need not wait for its lease.
void Node::let_go(Claim& claim, Time now) {
  bool entered = claim.state == Claim::State::inside || claim.state == Claim::State::lost;
  auto found = entered ? commands_.find(claim.life) : commands_.end();
  if (found == commands_.end()) return;
  for (Vacancy& vacancy : vacancies_) std::erase(vacancy.claims, &claim);
  std::erase_if(vacancies_, [&](const Vacancy& vacancy) {
    if (vacancy.claims.empty())
      tell_asker(vacancy.asker, PayloadKind::vacated, vacancy.answer, now);
    return vacancy.claims.empty();
  });
  if (--found->second > 0) return;
  commands_.erase(found);
  if (claim.life == life_) return group_member_->hold_fast(false);
  if (options_.has_register) world_.end_life(claim.life);
}

void Node::vacate(const PeerInstance& asker, const Vacate& m, Time now) {
  Vacancy vacancy{asker, {m.number}, {}};
  if (LocalLock* local_lock = find_local_lock(m.lock)) {
    for (Claim* claim : local_lock->queue.inside()) {
      if (claim->is_command()) vacancy.claims.push_back(claim);
      vacancy.answer.holds = vacancy.answer.holds || !claim->is_command();
      claim->asked_to_let_go();
    }
  }
  vacancy.answer.ended = vacancy.claims.size();
  if (vacancy.claims.empty()) return tell_asker(asker, PayloadKind::vacated, vacancy.answer, now);
  tell_asker(asker, PayloadKind::vacates, Vacates{m.number, command_patience()}, now);
  vacancies_.push_back(std::move(vacancy));
}

bool Node::delay_locks(Duration lock_delay, Time now) {
  lock_delay_ = std::max(lock_delay_, lock_delay);
  group_member_->delay_locks(lock_delay_, effects_.at(now));
  return lock_delay <= group_member_->recorded_lock_delay();
}

// Status.

StatusPart Node::status_part(Time now) const {
  StatusPart part;
  part.life = life_;
  part.process = world_.process().id;
  part.age = now - born_;
  if (auto until = group_member_->lease_until()) part.lease = *until - now;
  part.clients = clients_.size();
  part.counts = counts_;
  const wire::Channels::Counts& traffic = channels_.counts();
  part.counts.messages_sent = traffic.frames_sent;
  part.counts.messages_received = traffic.frames_received;
  part.counts.bytes_sent = traffic.bytes_sent;
  part.counts.bytes_received = traffic.bytes_received;
  part.counts.connections_refused = traffic.connections_refused;
  for (const LockReport& report : group_member_->reports(now))
    part.locks.push_back(part_of(report, now));
  return part;
}

LockPart Node::part_of(const LockReport& report, Time now) const {
  LockPart part;
  part.lock = report.lock;
  part.token = group_member_->has_token(report.lock);
  auto found = local_locks_.find(report.lock);
  if (found != local_locks_.end()) part.in_line = found->second->queue.waiting().size();
  if (report.held) {
    part.holds = true;
    part.reads = report.held->wish.mode == Mode::read;
    part.fence = report.held->fence.number();
    if (found != local_locks_.end()) part.since = now - found->second->inside_since;
  } else if (report.waits) {
    part.waits = true;
    part.reads = report.waits->wish.mode == Mode::read;
    part.since = report.waits->waited;
  }
  return part;
}

Status Node::status_here(Time now) const {
  return {options_.group, life_, group_member_->view(), group_member_->dead(), {status_part(now)}};
}

ClaimsPart Node::claims_part(const std::string& lock, Time now) const {
  ClaimsPart part{0, life_, world_.host(), {}};
  wire::ClientProcess process = world_.process();
  ProcessPart own{process.id, process.user};
  for (const auto& [name, local_lock] : local_locks_) {
    if (!lock.empty() && name != lock) continue;
    for (const std::vector<Claim*>* claims :
         {&local_lock->queue.inside(), &local_lock->queue.waiting()})
      for (const Claim* claim : *claims)
        if (claim->is_own()) add_claim(*claim, lock, now, own.claims);
  }
  if (!own.claims.empty()) {
    own.command = printable(world_.command());
    part.processes.push_back(std::move(own));
  }
  clients_.describe(lock, now, part.processes);
  return part;
}

bool Node::understands_claims(const Member& member) const {
  // Without a register, only connections tell which version a member speaks.
  if (!group_member_->has_roster()) return channels_.version_with(member.life()) >= claims_version;
  return common(member.speaks, options_.self.speaks).value_or(0) >= claims_version;
}

}  // namespace conch::node
