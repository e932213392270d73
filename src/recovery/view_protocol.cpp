#include "recovery/view_protocol.hpp"

#include <algorithm>

namespace conch::recovery {

// Proposals.

RegisterSnapshot ViewProtocol::known() const {
  RegisterSnapshot known{view_, {ended_.begin(), ended_.end()}, epoch_floor_};
  // All members report before an epoch is installed, and thereby have let go of these locks.
  std::erase_if(known.view.forced, [&](const Forced& each) { return each.epoch <= epoch_; });
  known.view.roster = policy().registered(std::move(known.view.roster));
  return known;
}

View ViewProtocol::admission(const RegisterSnapshot& known,
                             const std::vector<Newcomer>& waiting) const {
  Membership membership = algorithm().is_dynamic() ? Membership::dynamic : Membership::fixed;
  return recovery::admission(known, newcomer_, charter_.algorithm, membership, charter_.tuning.eps,
                             waiting);
}

std::optional<View> ViewProtocol::eviction(const std::set<PeerInstance>& wanted) const {
  std::vector<NodeId> those = dead_members(known());
  for (const PeerInstance& life : wanted)
    if (life != self_ && view_.roster.contains(life)) those.push_back(life.id);
  bool undecided = epoch_ < view_.epoch && ended_.contains(view_.decider);
  if (!is_member() || (those.empty() && !undecided)) return std::nullopt;
  return recovery::eviction(known(), those, self_);
}

std::optional<View> ViewProtocol::eviction_of(const PeerInstance& suspect) const {
  return view_.roster.contains(suspect) ? eviction({suspect}) : std::nullopt;
}

std::optional<View> ViewProtocol::renewal(const std::vector<std::string>& locks) const {
  if (stage_ != ViewStage::working) return std::nullopt;
  return recovery::renewal(known(), self_, locks);
}

std::optional<View> ViewProtocol::relabelling(const std::map<NodeId, std::string>& labels) const {
  bool changes = std::any_of(labels.begin(), labels.end(), [&](const auto& each) {
    const Member* member = view_.roster.find(each.first);
    return member && member->cluster != each.second;
  });
  if (!changes || stage_ != ViewStage::working) return std::nullopt;
  return recovery::relabelling(known(), self_, labels);
}

View ViewProtocol::departure(const std::vector<PeerInstance>& waiting) const {
  return recovery::departure(known(), self_, waiting);
}

// Views.

void ViewProtocol::learn(const RegisterSnapshot& snapshot, Out& out) {
  if (stage_ == ViewStage::out) return;
  epoch_floor_ = std::max(epoch_floor_, snapshot.epoch_floor);
  ended_.insert(snapshot.ended.begin(), snapshot.ended.end());
  if (policy().is_newer(snapshot.view, view_)) {
    adopt(snapshot.view, out);
    std::erase_if(ended_, [&](const PeerInstance& life) { return !view_.mentions(life); });
  }
  answer_summons(out);
  decide_if_complete(out);
  depart_if_unneeded(out);
}

void ViewProtocol::adopt(const View& view, Out& out) {
  view_ = view;
  see_roster(policy().seen(view.roster, newcomer_, stage_ == ViewStage::outside));
  if (!view_.roster.contains(self_)) return stand_outside(out);
  if (view.epoch == epoch_) return stage_ == ViewStage::greeting ? greet(out) : tell_roster(out);
  if (!is_guest()) return begin_epoch(out);
  epoch_ = view.epoch;
  stage_ = ViewStage::greeting;
  greet(out);
}

void ViewProtocol::see_roster(Roster roster) {
  view_.roster = std::move(roster);
  founders_ = view_.roster.founders();
  clusters_ = view_.roster.clusters();
  members_ = founders_.size() == view_.roster.size() ? founders_ : view_.roster.all();
}

/// The newest view does not contain this peer.
void ViewProtocol::stand_outside(Out& out) {
  if (stage_ == ViewStage::outside) return;
  if (view_.decider == self_) {  // called again if a guest has come meanwhile
    if (std::exchange(stage_, ViewStage::leaving) != ViewStage::leaving) begin_epoch(out);
    return;
  }
  if (stage_ == ViewStage::leaving) {  // another peer decides now; this one has nothing to report
    stage_ = ViewStage::out;
    return out.tell(Departed{});
  }
  expel(out);
  if (policy().has_let_go(holds_fast_)) report_to_decider(out);
}

/// From here on the locks ignore the old epoch.
void ViewProtocol::begin_epoch(Out& out) {
  if (stage_ != ViewStage::leaving) stage_ = ViewStage::frozen;
  let_go_of_forced(out);
  for (auto& [name, lock] : locks_) at(lock, out, [](Lock& each, auto& own) { each.freeze(own); });
  if (view_.decider != self_) return report_to_decider(out);
  keep_report(self_, {view_.epoch, locks_as_reported(out.now())});
  for (const Member& member : view_.roster)
    if (member.id != self_.id) tell_of_view(member, Freeze{view_}, out);
  for (const PeerInstance& life : view_.evicted) out.send(life, Freeze{view_});
}

void ViewProtocol::let_go_of_forced(Out& out) {
  for (const Forced& forced : view_.forced)
    if (auto found = locks_.find(forced.lock); found != locks_.end())
      at(found->second, out, [&](Lock& lock, auto& own) { lock.force_open(forced.epoch, own); });
}

void ViewProtocol::greet(Out& out) {
  bool alone = true;
  for (const Member& member : view_.roster) {
    if (member.id == self_.id || welcomes_.contains(member.id)) continue;
    tell_of_view(member, Hello{view_}, out);
    alone = false;
  }
  if (alone) work(out);
}

template <class M>
void ViewProtocol::tell_of_view(const Member& member, M&& whole, Out& out) {
  bool is_large = policy().summons(view_.roster.size());
  bool understands = common(member.speaks, newcomer_.speaks).value_or(0) >= summons_version;
  if (is_large && understands) return out.send(member.life(), Summons{view_.number});
  out.send(member.life(), std::forward<M>(whole));
}

void ViewProtocol::take(const PeerInstance& from, const Summons& m, Out& out) {
  summoned_by_[from] = m.view;
  answer_summons(out);
}

/// A guest waits for its welcome; a decider gets the report when the view is adopted.
void ViewProtocol::answer_summons(Out& out) {
  std::erase_if(summoned_by_, [&](const auto& each) {
    const auto& [from, view] = each;
    if (view > view_.number) return false;
    const Member* guest = view_.roster.find(from.id);
    bool waits = guest && guest->guest && guest->life() == from;
    if (waits && stage_ != ViewStage::out) out.send(from, Welcome{});
    return true;
  });
}

void ViewProtocol::tell_roster(Out& out) {
  if (!algorithm().is_dynamic()) return;
  for (auto& [name, lock] : locks_)
    if (lock.value()) at(lock, out, [&](Lock& each, auto& own) { each.roster(members_, own); });
}

void ViewProtocol::work(Out& out) {
  stage_ = ViewStage::working;
  if (!std::exchange(admitted_, true)) out.tell(Admitted{});
  for (auto& [name, lock] : locks_)
    if (!lock.value() && lock.process() == Doing::waiting) give_value(name, lock, out);
  replay_early(out);
}

void ViewProtocol::expel(Out& out) {
  if (std::exchange(stage_, ViewStage::out) == ViewStage::out) return;
  for (auto& [name, lock] : locks_) at(lock, out, [](Lock& each, auto& own) { each.lose(own); });
  early_.clear();
  out.tell(Expelled{});
}

void ViewProtocol::stay_out(std::string why, Out& out) {
  CONCH_EXPECT(stage_ == ViewStage::outside, "only a peer that is outside may stay out");
  stage_ = ViewStage::out;
  for (auto& [name, lock] : locks_) at(lock, out, [](Lock& each, auto& own) { each.lose(own); });
  out.tell(JoinRefused{std::move(why)});
}

// The recovery.

void ViewProtocol::take(const PeerInstance& from, const Freeze& m, Out& out) {
  learn({m.view, {}}, out);
  bool is_rival = m.view.epoch == view_.epoch && from != self_;
  if (policy().reports_to_rival(is_rival))
    out.send(from, Report{m.view.epoch, locks_as_reported(out.now())});
}

void ViewProtocol::report_to_decider(Out& out) {
  out.send(view_.decider, Report{view_.epoch, locks_as_reported(out.now())});
}

LockReports ViewProtocol::locks_as_reported(Time now) const {
  LockReports reports;
  for (const auto& [name, lock] : locks_)
    if (LockReport report = lock.report(now); !report.is_blank())
      reports.push_back(std::move(report));
  return reports;
}

/// A report may arrive before the view that makes this peer the decider.
void ViewProtocol::take(const PeerInstance& from, const Report& m, Out& out) {
  keep_report(from, m);
  decide_if_complete(out);
}

void ViewProtocol::keep_report(const PeerInstance& from, const Report& report) {
  bool known = std::all_of(report.locks.begin(), report.locks.end(), [&](const LockReport& lock) {
    return (!lock.held || algorithm().can_ask(lock.held->wish)) &&
           (!lock.waits || algorithm().can_ask(lock.waits->wish));
  });
  if (!known || !is_sound(report.locks)) return;  // no correct peer sends this
  if (report.epoch < reported_epoch_ || report.epoch <= epoch_) return;
  if (reported_epoch_ < report.epoch) reports_.clear();
  reported_epoch_ = report.epoch;
  reports_[from] = report.locks;
}

bool ViewProtocol::has_reported(const PeerInstance& life) const {
  return policy().has_reported(reports_, life);
}

bool ViewProtocol::everybody_has_stopped() const {
  if (reported_epoch_ != view_.epoch) return false;
  bool members = std::all_of(view_.roster.begin(), view_.roster.end(), [&](const Member& member) {
    return member.guest || has_reported(member.life());
  });
  bool evicted = std::all_of(
      view_.evicted.begin(), view_.evicted.end(),
      [&](const PeerInstance& life) { return ended_.contains(life) || has_reported(life); });
  return members && evicted;
}

void ViewProtocol::decide_if_complete(Out& out) {
  if (!decides() || !everybody_has_stopped()) return;
  Install decision{view_.epoch, decide(view_.roster, reports_)};
  reports_.clear();
  for (const Member& member : view_.roster)
    if (member.id != self_.id && !member.guest) out.send(member.life(), decision);
  if (stage_ != ViewStage::leaving) return install(decision.locks, out);
  epoch_ = view_.epoch;
}

void ViewProtocol::take(const PeerInstance& from, const Install& m, Out& out) {
  bool expected = stage_ == ViewStage::frozen && m.epoch == view_.epoch && from == view_.decider;
  if (!policy().installs(expected, m.epoch == epoch_)) return;
  if (!can_install(m.locks)) return expel(out);  // no correct decider sends this
  install(m.locks, out);
  out.send(from, Installed{m.epoch});
}

bool ViewProtocol::can_install(const LockAssignments& locks) const {
  auto can = [&](const NodeClaim& claim) { return algorithm().can_ask(claim.wish); };
  return is_sound(locks, founders_) &&
         std::all_of(locks.begin(), locks.end(), [&](const LockAssignment& lock) {
           return std::all_of(lock.holders.begin(), lock.holders.end(), can) &&
                  std::all_of(lock.waiters.begin(), lock.waiters.end(), can);
         });
}

void ViewProtocol::install(const LockAssignments& locks, Out& out) {
  epoch_ = view_.epoch;
  stage_ = ViewStage::working;
  for (const LockAssignment& assigned : locks) {
    Lock& lock = locks_.try_emplace(assigned.lock, assigned.lock).first->second;
    Assignment start = start_of(assigned.lock, assigned.data);
    at(lock, out,
       [&](Lock& each, auto& own) { each.install(algorithm(), self_.id, start, assigned, own); });
  }
  // Keeps a lock whose data copy came after the report: the next epoch must hear of the copy.
  std::erase_if(locks_, [](const auto& each) {
    const Lock& lock = each.second;
    return !lock.value() && lock.process() == Doing::nothing && lock.report({}).is_blank();
  });
  tell_roster(out);
  work(out);
}

void ViewProtocol::take(const PeerInstance& from, const Installed& m, Out& out) {
  if (stage_ == ViewStage::leaving && m.epoch == epoch_) installed_.insert(from.id);
  depart_if_unneeded(out);
}

/// Departs once every member that needs this peer's decision has installed it or is dead.
void ViewProtocol::depart_if_unneeded(Out& out) {
  bool unneeded = std::all_of(view_.roster.begin(), view_.roster.end(), [&](const Member& member) {
    return member.guest || installed_.contains(member.id) || ended_.contains(member.life());
  });
  if (stage_ != ViewStage::leaving || !unneeded) return;
  stage_ = ViewStage::out;
  out.tell(Departed{});
}

// Guests.

void ViewProtocol::take(const PeerInstance& from, const Hello& m, Out& out) {
  learn({m.view, {}}, out);
  if (stage_ != ViewStage::out) out.send(from, Welcome{});
}

void ViewProtocol::take(const PeerInstance& from, const Welcome&, Out& out) {
  if (stage_ != ViewStage::greeting) return;
  welcomes_.insert(from.id);
  bool all = std::all_of(view_.roster.begin(), view_.roster.end(), [&](const Member& member) {
    return member.id == self_.id || welcomes_.contains(member.id);
  });
  if (all) work(out);
}

// Locks.

void ViewProtocol::receive(const PeerInstance& from, const Message& message, Out& out) {
  if (stage_ == ViewStage::out) return;
  std::visit([&](const auto& chosen) { take(from, chosen, out); }, message);
}

bool ViewProtocol::is_void(const PeerInstance& from, const LockMessage& told) const {
  if (told.epoch != epoch_) return policy().is_void(told.epoch, epoch_);
  return stage_ == ViewStage::frozen || !view_.roster.contains(from);
}

void ViewProtocol::take(const PeerInstance& from, const LockMessage& m, Out& out) {
  if (is_void(from, m)) return;
  if (stage_ == ViewStage::working && m.epoch <= epoch_) {
    Lock& lock = lock_at(m.lock, out);
    if (!m.message) return;
    return at(lock, out, [&](Lock& each, auto& own) { each.receive(from.id, *m.message, own); });
  }
  if (early_.size() == early_max) return expel(out);
  early_.push_back({from, m});
}

void ViewProtocol::replay_early(Out& out) {
  for (const Early& early : std::exchange(early_, {})) take(early.from, early.told, out);
}

void ViewProtocol::timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out) {
  auto found = locks_.find(lock);
  bool current = found != locks_.end() && found->second.value() && found->second.epoch() == epoch;
  if (!current) return;
  at(found->second, out, [&](Lock& each, auto& own) { each.timer(timer, own); });
}

void ViewProtocol::request(const std::string& name, const Wish& wish, Out& out) {
  CONCH_EXPECT(stage_ != ViewStage::out && stage_ != ViewStage::leaving, "only a member asks");
  at(lock_of_process(name, out), out, [&](Lock& lock, auto& own) { lock.request(wish, own); });
}

void ViewProtocol::cancel(const std::string& name, Out& out) {
  at(locks_.at(name), out, [](Lock& lock, auto& own) { lock.cancel(own); });
}

void ViewProtocol::release(const std::string& name, const DataRef& data, Out& out) {
  Lock& lock = locks_.at(name);
  if (data.location == self_.id) lock.copied(data);
  at(lock, out, [&](Lock& each, auto& own) { each.release(data, own); });
}

void ViewProtocol::copied(const std::string& name, const DataRef& data, Out& out) {
  lock_of_process(name, out).copied(data);
}

Doing ViewProtocol::doing(const std::string& lock) const {
  auto found = locks_.find(lock);
  return found == locks_.end() ? Doing::nothing : found->second.process();
}

std::size_t ViewProtocol::forget_idle() {
  if (stage_ != ViewStage::working) return 0;
  return std::erase_if(locks_, [&](const auto& each) {
    const Lock& lock = each.second;
    return lock.process() == Doing::nothing && lock.report({}).is_blank() &&
           lock.value() == algorithm().make(self_.id, start_of(each.first, {}));
  });
}

Assignment ViewProtocol::start_of(const std::string& lock, const DataRef& data) const {
  Tuning tuning = charter_.tuning;
  tuning.eps = view_.eps;
  Baton baton{policy().origin(epoch_), data};
  return {epoch_, founders_, home_of(lock, founders_), baton, tuning, {}, clusters_};
}

/// Creates the value of a lock that is used here for the first time in this epoch. If the algorithm
/// acts before any request, as a circulating token does, tells the home that the lock exists.
void ViewProtocol::give_value(const std::string& name, Lock& lock, Out& out) {
  Assignment start = start_of(name, {});
  if (algorithm().is_starting() && start.home != self_.id)
    out.send(view_.roster.find(start.home)->life(), LockMessage{name, epoch_, std::nullopt});
  at(lock, out, [&](Lock& each, auto& own) {
    bool is_dynamic = algorithm().is_dynamic();
    if (is_dynamic && is_guest()) {
      start.members = members_;
      return each.join(algorithm(), self_.id, start, own);
    }
    each.install(algorithm(), self_.id, start, {name, {}, {}, {}, false}, own);
    if (is_dynamic && members_ != start.members) each.roster(members_, own);
  });
}

Lock& ViewProtocol::lock_at(const std::string& name, Out& out) {
  Lock& lock = locks_.try_emplace(name, name).first->second;
  if (!lock.value()) give_value(name, lock, out);
  return lock;
}

/// The lock for a call of the process; it has a value only while this peer is working.
Lock& ViewProtocol::lock_of_process(const std::string& name, Out& out) {
  return stage_ == ViewStage::working ? lock_at(name, out)
                                      : locks_.try_emplace(name, name).first->second;
}

template <class Call>
void ViewProtocol::at(Lock& lock, Out& out, Call&& call) {
  LockEffects own(view_.roster, out);
  call(lock, own);
  if (lock.entry().epoch() == epoch_ && lock.entry().count() > charter_.entries_max) worn_ = epoch_;
}

}  // namespace conch::recovery
