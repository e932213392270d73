#include "node/node.hpp"

#include <algorithm>

#include "node/charter.hpp"
#include "node/names.hpp"
#include "node/overlay_steward.hpp"
#include "recovery/steward.hpp"

namespace conch::node {

using namespace recovery;
using std::chrono::seconds;

namespace {

constexpr Duration bequeathing_patience = seconds(10);
constexpr Duration leave_patience = seconds(10);
constexpr Duration housekeeping_period_max = seconds(1);
constexpr Duration forgetting_period = seconds(10);
/// How many former neighbours to remember, to join through them again.
constexpr std::size_t remembered_max = 8;
/// After so many leases without one, a peer that reaches the register only through others begins a
/// new life.
constexpr int vain_leases_max = 8;

}  // namespace

Node::Node(NodeOptions options, World& world, wire::Network& network)
    : options_(std::move(options)),
      world_(world),
      life_(options_.self.life()),
      channels_({{life_, options_.group,
                  is_ring() ? text_of(*options_.ring) : std::string(algorithm().about.name)},
                 options_.self.address},
                network, *this),
      data_(world, *this, *this),
      clients_(*this),
      inquiries_(*this),
      claim_survey_(*this),
      rangefinder_(*this),
      lock_delay_(options_.lock_delay) {}

// Lives.

/// Begins a life: the first, or one after an expulsion.
void Node::be_born(Time now) {
  bool is_first = !steward_;  // Then the peer has introduced itself to others as this life.
  if (!is_first) renew_life(now);
  world_.begin_life(life_);
  data_.live_as(life_);
  if (!is_first) find_contacts_again(now);
  born_ = now;
  tell([&](Witness& witness) { witness.born(life_); });
  followed_view_ = 0;
  timers_.clear();
  unreachable_.clear();
  next_housekeeping_ = contacts_sought_ = born_;
  if (is_ring()) return be_born_in_ring(now);
  Member self = options_.self;
  self.incarnation = life_.incarnation;
  auto copies = [this] { return data_.new_copies(); };
  recovery::Charter charter = charter_of(*options_.algorithm, options_.eps, options_.tuning);
  charter.without = options_.without;
  charter.entries_max = options_.entries_max.value_or(charter.entries_max);
  steward_ = std::make_unique<recovery::Steward>(self, charter, options_.terms, copies);
  steward_->delay_locks(lock_delay_, effects_.at(born_));
  steward_->start(effects_.at(born_));
  for (auto& [name, desk] : desks_) touch(*desk);
}

void Node::renew_life(Time now) {
  life_.incarnation = world_.draw_incarnation(life_.incarnation);
  channels_.live_as(life_, now);
}

void Node::begin_anew(Time now) {
  for (auto& [name, desk] : desks_) lose(*desk, now);
  be_born(now);
}

void Node::be_born_in_ring(Time now) {
  if (steward_) remember_neighbours();
  Member self = options_.self;
  self.incarnation = life_.incarnation;
  auto seed = static_cast<std::uint64_t>(world_.draw({}, Duration::max()).count());
  steward_ = make_overlay_steward(
      {self, *options_.ring, options_.ring_contacts, seed, {world_.fence_floor(), born_}});
  steward_->start(effects_.at(now));
  for (auto& [name, desk] : desks_) touch(*desk);
}

/// Through whom it would come in again.
void Node::remember_neighbours() {
  std::vector<Introduction>& contacts = options_.ring_contacts;
  for (const Member& member : steward_->view().roster) {
    if (member.id == life_.id) continue;
    std::erase_if(contacts, [&](const Introduction& each) { return each.life.id == member.id; });
    contacts.insert(contacts.begin(), {member.life(), member.address});
  }
  if (contacts.size() > remembered_max) contacts.resize(remembered_max);
}

void Node::enter_phase(Phase phase) {
  phase_ = phase;
  world_.phase_changed();
}

// Time.

Time Node::wakes() const {
  Time own =
      std::min({channels_.wakes(), timers_.next(), clients_.wakes(), inquiries_.wakes(),
                claim_survey_.wakes(), rangefinder_.wakes(), data_.wakes(), next_housekeeping_});
  if (steward_) own = std::min(own, steward_->wakes());
  if (phase_ == Phase::leaving) own = std::min({own, commands_until_, leaves_until_});
  return own;
}

void Node::tick(Time now) {
  channels_.tick(now);
  if (!steward_ && next_housekeeping_ <= now) seek(now);
  if (!steward_ || broken_) return;
  catch_up(now);
  if (steward_->wakes() <= now) steward_->tick(effects_.at(now));
  while (auto due = timers_.take(now))
    steward_->timer(due->lock, due->epoch, due->timer, effects_.at(now));
  clients_.look_after(now);
  inquiries_.look_after(now);
  claim_survey_.look_after(now);
  rangefinder_.look_after(now);
  data_.look_after(now);
  if (next_housekeeping_ <= now) keep_house(now);
}

void Node::keep_house(Time now) {
  next_housekeeping_ = now + std::min(options_.terms.length / 8, housekeeping_period_max);
  world_.keep_house();
  // A peer outside the group sees no views, so it does not learn that its contacts have died.
  bool asks_others = !options_.has_register && !is_ring();
  bool asks_in_vain = !steward_->lease_until() && contacts_sought_ + options_.terms.length < now;
  if (asks_in_vain && asks_others) {
    // Contacts may have lost their channel to this life. Nobody evicts it: it is no member.
    if (born_ + vain_leases_max * options_.terms.length < now) return begin_anew(now);
    find_contacts_again(now);
  }
  if (asks_others && contacts_.empty())
    for (const std::string& address : options_.join) channels_.contact(address);
  for (const auto& [life, unacknowledged] : channels_.unacknowledged(now))
    steward_->silent(life, unacknowledged, effects_.at(now));
  suspect_unreachable(now);
  std::erase_if(known_lives_, [&](const auto& known) {
    bool forgotten = known.second && *known.second + 2 * options_.terms.length < now;
    if (forgotten) forget(known.first);
    return forgotten;
  });
  if (now < next_forgetting_) return;
  next_forgetting_ = now + forgetting_period;
  steward_->forget_idle(now);
  drop_idle_desks();
}

/// Repeated, because the register may have accepted another view first.
void Node::suspect_unreachable(Time now) {
  for (const Life& life : unreachable_)
    if (steward_->view().roster.contains(life)) steward_->suspect(life, effects_.at(now));
}

void Node::forget(const Life& life) {
  channels_.forget(life);
  tell([&](Witness& witness) { witness.forgot(life); });
  unreachable_.erase(life);
}

// Leaving.

void Node::leave(Time now) {
  if (phase_ != Phase::member && phase_ != Phase::joining) return;
  was_member_ = phase_ == Phase::member;
  enter_phase(Phase::leaving);
  refuse_waiting(now);
  // Keepers end their commands within the lease.
  commands_until_ = ask_to_let_go() ? now + command_patience() : now;
  farewell_ = Farewell::commands;
}

/// A peer leaves when nothing is held, waited for or being withdrawn.
void Node::go_on_leaving(Time now) {
  if (phase_ != Phase::leaving) return;
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
    bool is_in = steward_ && steward_->stage() != Stage::outside && steward_->stage() != Stage::out;
    if (!is_in) return enter_phase(Phase::gone);
    steward_->leave(effects_.at(now));
  }
  if (leaves_until_ > now) return;
  log("could not leave in time: its lease ends as if it had crashed");
  enter_phase(Phase::gone);
}

bool Node::is_idle() const {
  return std::all_of(desks_.begin(), desks_.end(),
                     [](const auto& each) { return each.second->queue.idle(); });
}

void Node::refuse_waiting(Time now) {
  for (auto& [name, desk] : desks_) {
    for (Claim* claim : std::vector(desk->queue.waiting())) {
      desk->queue.remove(*claim);
      tell_end(*claim, now);
      claim->state = Claim::State::refused;
      claim->changed();
    }
    touch(*desk);
  }
}

/// Whether somebody is inside who lets go by itself, but not at once.
bool Node::ask_to_let_go() {
  for (auto& [name, desk] : desks_)
    for (Claim* claim : desk->queue.inside()) claim->asked_to_let_go();
  return has_commands_inside();
}

bool Node::has_commands_inside() const {
  return std::any_of(desks_.begin(), desks_.end(), [](const auto& each) {
    const std::vector<Claim*>& inside = each.second->queue.inside();
    return std::any_of(inside.begin(), inside.end(),
                       [](const Claim* claim) { return claim->is_command(); });
  });
}

/// Nobody of this process holds or waits for anything any more.
void Node::turn_everybody_out(Time now) {
  refuse_waiting(now);
  for (auto& [name, desk] : desks_) {
    for (Claim* claim : std::vector(desk->queue.inside())) {
      desk->queue.remove(*claim);
      tell([&](Witness& witness) { witness.lost(name, claim->mode, claim->held(now)); });
      claim->state = Claim::State::lost;
      claim->changed();
    }
    touch(*desk);
  }
}

// Desks.

LockDesk* Node::find_desk(std::string_view lock) {
  auto found = desks_.find(lock);
  return found == desks_.end() ? nullptr : found->second.get();
}

LockDesk& Node::desk_at(const std::string& lock) {
  std::unique_ptr<LockDesk>& desk = desks_[lock];
  if (!desk) desk = std::make_unique<LockDesk>(lock, options_.shared_entries);
  return *desk;
}

void Node::close_desk(LockDesk& desk) {
  if (--desk.users == 0 && desk.queue.idle()) desks_.erase(desks_.find(desk.name));
}

/// Those that clients have left, who do not close them.
void Node::drop_idle_desks() {
  std::erase_if(desks_, [](const auto& each) {
    const LockDesk& desk = *each.second;
    return desk.users == 0 && desk.queue.idle() && !desk.touched;
  });
}

void Node::touch(LockDesk& desk) {
  if (std::exchange(desk.touched, true)) return;
  touched_.push_back(&desk);
}

std::string Node::why_not_shared() const {
  return std::string(options_.algorithm->about.name) +
         " lets nobody share a lock; start the group with --algorithm elmp or central";
}

// Commands that run under locks of this peer.

template <class M>
void Node::tell_asker(const Life& asker, PayloadKind kind, const M& m, Time now) {
  if (asker == life_) return inquiries_.told(asker, m, now);
  send(asker, packed(kind, m));
}

/// Its command has gone. The last one of a life that was put out: nobody need wait for its lease.
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
  if (claim.life == life_) return steward_->hold_fast(false);
  if (options_.has_register) world_.end_life(claim.life);
}

void Node::vacate(const Life& asker, const Vacate& m, Time now) {
  Vacancy vacancy{asker, {m.number}, {}};
  if (LockDesk* desk = find_desk(m.lock)) {
    for (Claim* claim : desk->queue.inside()) {
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
  steward_->delay_locks(lock_delay_, effects_.at(now));
  return lock_delay <= steward_->recorded_lock_delay();
}

// What it says of itself.

StatusPart Node::status_part(Time now) const {
  StatusPart part;
  part.life = life_;
  part.process = world_.process().id;
  part.age = now - born_;
  if (auto until = steward_->lease_until()) part.lease = *until - now;
  part.clients = clients_.size();
  part.counts = counts_;
  const wire::Channels::Counts& traffic = channels_.counts();
  part.counts.messages_sent = traffic.frames_sent;
  part.counts.messages_received = traffic.frames_received;
  part.counts.bytes_sent = traffic.bytes_sent;
  part.counts.bytes_received = traffic.bytes_received;
  part.counts.connections_refused = traffic.connections_refused;
  for (const LockReport& report : steward_->reports(now))
    part.locks.push_back(part_of(report, now));
  return part;
}

LockPart Node::part_of(const LockReport& report, Time now) const {
  LockPart part;
  part.lock = report.lock;
  part.token = steward_->has_token(report.lock);
  auto found = desks_.find(report.lock);
  if (found != desks_.end()) part.in_line = found->second->queue.waiting().size();
  if (report.held) {
    part.holds = true;
    part.reads = report.held->wish.mode == Mode::read;
    part.fence = report.held->fence.number();
    if (found != desks_.end()) part.since = now - found->second->inside_since;
  } else if (report.waits) {
    part.waits = true;
    part.reads = report.waits->wish.mode == Mode::read;
    part.since = report.waits->waited;
  }
  return part;
}

Status Node::status_here(Time now) const {
  return {options_.group, life_, steward_->view(), steward_->dead(), {status_part(now)}};
}

ClaimsPart Node::claims_part(const std::string& lock, Time now) const {
  ClaimsPart part{0, life_, world_.host(), {}};
  wire::ClientProcess process = world_.process();
  ProcessPart own{process.id, process.user};
  for (const auto& [name, desk] : desks_) {
    if (!lock.empty() && name != lock) continue;
    for (const std::vector<Claim*>* claims : {&desk->queue.inside(), &desk->queue.waiting()})
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
  // Without a register the versions of members are seen from their connections alone.
  if (!steward_->has_roster()) return channels_.version_with(member.life()) >= claims_version;
  return common(member.speaks, spoken()).value_or(0) >= claims_version;
}

}  // namespace conch::node
