#include "recovery/leased_member.hpp"

#include <algorithm>

#include "recovery/watching.hpp"

namespace conch::recovery {

// The lease.

bool LeasedMember::alive(Out& out) {
  if (view_protocol_.stage() == ViewStage::out) return false;
  std::optional<Time> end = policy().lapses_at(lease_.until());
  if (!end || out.now() < *end) return true;
  view_protocol_.lapse(out);
  return false;
}

Time LeasedMember::wakes() const {
  Time earliest = Time::max();
  if (view_protocol_.stage() == ViewStage::out) return earliest;
  for (const auto& due : {next_look_, next_renewal_, next_proposal_})
    if (due) earliest = std::min(earliest, *due);
  if (auto end = policy().lapses_at(lease_.until())) earliest = std::min(earliest, *end);
  return earliest;
}

void LeasedMember::look_after(Out& out) {
  auto due = [&](std::optional<Time>& at) { return at && *at <= out.now(); };
  if (due(next_look_)) look(out);
  if (due(next_renewal_)) renew(out);
  if (!due(next_proposal_)) return;
  next_proposal_.reset();
  if (may_leave() && announces_leave_) return announce_leave(out);
  if (std::optional<View> view = proposal()) propose(std::move(*view), out);
}

/// The most urgent view that there is reason to propose.
std::optional<View> LeasedMember::proposal() const {
  if (may_leave()) return view_protocol_.departure();
  if (std::optional<View> eviction = view_protocol_.eviction(evicting_)) return eviction;
  std::vector<std::string> locks;
  for (const auto& [lock, forcing] : forcing_)
    if (!forcing.accepted) locks.push_back(lock);
  if (locks.empty() && !view_protocol_.is_worn()) return view_protocol_.relabelling(labels_);
  return view_protocol_.renewal(locks);
}

// The register.

void LeasedMember::ask(Question question, Out& out) {
  std::erase_if(
      open_, [&](const auto& each) { return each.second.asked + 2 * terms_.length < out.now(); });
  const auto* delayed = std::get_if<RenewDelayed>(&question);
  open_[++asked_] = {out.now(), delayed || std::holds_alternative<RenewLease>(question),
                     std::holds_alternative<Propose>(question),
                     std::holds_alternative<AnnounceLeave>(question),
                     delayed ? delayed->lock_delay : Duration{}};
  out.ask({asked_, std::move(question)});
}

void LeasedMember::look(Out& out) {
  ask(announced_ ? Question(AnnounceJoin{*announced_}) : Question(Look{}), out);
  bool waits = !lease_.until() || view_protocol_.is_behind();
  next_look_ = waits ? std::optional(out.now() + answer_patience()) : std::nullopt;
}

void LeasedMember::renew(Out& out) {
  const PeerInstance& self = view_protocol_.self();
  bool is_delayed = lock_delay_ > recorded_lock_delay_;
  ask(is_delayed ? Question(RenewDelayed{self, lock_delay_}) : Question(RenewLease{self}), out);
  next_renewal_ = out.now() + answer_patience();
}

void LeasedMember::delay_locks(Duration lock_delay, Out& out) {
  if (lock_delay <= lock_delay_) return;
  lock_delay_ = lock_delay;
  if (alive(out) && lease_.until()) renew(out);
}

/// Retried after the answer timeout while there is still a reason.
void LeasedMember::propose(View view, Out& out) {
  ask(Propose{view}, out);
  next_proposal_ = out.now() + answer_patience();
  if (policy().decides_at_once()) see({std::move(view), {}}, out);
}

void LeasedMember::answered(const RegisterAnswer& answer, Out& out) {
  if (!alive(out)) return;
  auto found = open_.find(answer.number);
  if (found == open_.end()) return;
  auto [asked, renews, proposes, leaves, lock_delay] = found->second;
  open_.erase(found);
  if (answer.yes && renews) {
    lease_.renewed(asked);
    recorded_lock_delay_ = std::max(recorded_lock_delay_, lock_delay);
    next_renewal_ = asked + renewal_period(terms_);
  }
  // Another proposal was accepted; make a new one against that view.
  if (proposes && !answer.yes) next_proposal_.reset();
  if (proposes && !answer.yes && access_ == Access::own) announces_leave_ = leaving_;
  if (!alive(out)) return;
  if (!lease_.until()) return come_in(answer, out);
  learn(answer.standing, out);
  if (leaves) leave_in_turn(answer.waiting, out);
}

void LeasedMember::learn(const RegisterSnapshot& snapshot, Out& out) {
  next_look_.reset();
  announced_.reset();
  see(snapshot, out);
  if (view_protocol_.is_behind()) next_look_ = out.now() + answer_patience();
  std::erase_if(doubts_, [&](const auto& each) {
    return !view_protocol_.view().roster.contains(each.first);
  });
  std::erase_if(evicting_, [&](const PeerInstance& life) {
    return !view_protocol_.view().roster.contains(life);
  });
  for (const auto& [from, message] : std::exchange(before_lease_, {})) receive(from, message, out);
  const PeerInstance& self = view_protocol_.self();
  if (snapshot.has_ended(self)) view_protocol_.lapse(out);
  see_forced(out);
  if (!proposal()) return next_proposal_.reset();
  if (next_proposal_) return;
  // No other peer proposes what only this one wants, so there is no need to wait.
  bool own = leaving_ || !forcing_.empty() || !evicting_.empty();
  next_proposal_ = out.now() + (own ? Duration::zero() : delay_for_others(out.now()));
}

/// How long to wait because others know of the same deaths, or others may die meanwhile.
Duration LeasedMember::delay_for_others(Time now) const {
  std::size_t rank = proposal_rank(view_protocol_.known(), view_protocol_.self());
  return std::max(proposal_delay(rank, terms_), view_pause_left(now));
}

/// How much longer the view that it knows should stand.
Duration LeasedMember::view_pause_left(Time now) const {
  return pause_left(view_protocol_.view().roster.size(), now - noted_at_);
}

void LeasedMember::see(const RegisterSnapshot& snapshot, Out& out) {
  tell_copies(out);
  view_protocol_.learn(snapshot, out);
  note_view(out.now());
}

void LeasedMember::note_view(Time now) {
  if (view_protocol_.view().number == noted_view_) return;
  noted_view_ = view_protocol_.view().number;
  noted_at_ = now;
}

/// Must run before the view protocol may report which data are here.
void LeasedMember::tell_copies(Out& out) {
  if (!new_copies_) return;
  for (const ArrivedData& copy : new_copies_()) view_protocol_.copied(copy.lock, copy.data, out);
}

/// A lease counts from when a renewal was sent, so an admitted peer renews first. The time of the
/// proposal would be wrong: a repeated proposal is accepted again, but the lease has run since the
/// first. A peer that was evicted before it learned of its admission needs a new life, because the
/// others wait for the end of this one.
void LeasedMember::come_in(const RegisterAnswer& answer, Out& out) {
  const RegisterSnapshot& snapshot = answer.standing;
  next_look_ = out.now() + answer_patience();
  bool member = snapshot.view.roster.contains(view_protocol_.self());
  bool was_member = !member && snapshot.view.mentions(view_protocol_.self());
  if (was_member || snapshot.has_ended(view_protocol_.self())) return view_protocol_.lapse(out);
  if (member) return renew(out);
  seek_admission(snapshot, answer.waiting, out);
}

void LeasedMember::seek_admission(const RegisterSnapshot& snapshot, const Waiting& waiting,
                                  Out& out) {
  View view = view_protocol_.admission(snapshot, waiting.newcomers);
  const Charter& ours = view_protocol_.charter();
  auto differs = [&](const std::string& theirs, const std::string& own, const std::string& start) {
    view_protocol_.stay_out("the group runs " + theirs + ", but this peer was started with " + own +
                                "; start it with " + start,
                            out);
  };
  if (view.algorithm != ours.algorithm)
    return differs(view.algorithm, ours.algorithm, "--algorithm " + view.algorithm);
  std::string eps = std::to_string(view.eps);
  if (ours.insists_on_eps && view.eps != ours.tuning.eps)
    return differs("with eps " + eps, std::to_string(ours.tuning.eps), "--eps " + eps);
  if (std::string why = language_barrier(view.roster, view_protocol_.self().id); !why.empty())
    return view_protocol_.stay_out(std::move(why), out);
  Duration pause = pause_left(snapshot.view.roster.size(), waiting.view_age);
  bool is_turn = !waiting.is_behind && pause == Duration::zero();
  if (is_turn || access_ == Access::others) return ask(Propose{std::move(view)}, out);
  bool is_known = announced_.has_value();
  announced_ = {newcomer_, view.algorithm, view.eps};
  if (!is_known) return look(out);
  next_look_ = out.now() + (waiting.is_behind ? renewal_period(terms_) : pause);
}

/// How much longer a view of this age should stand before more members join or leave.
Duration LeasedMember::pause_left(std::size_t members, Duration view_age) const {
  return std::max(policy().view_pause(members, terms_) - view_age, Duration::zero());
}

void LeasedMember::announce_leave(Out& out) {
  ask(AnnounceLeave{view_protocol_.self()}, out);
  next_proposal_ = out.now() + answer_patience();
}

/// The first of those that wait to leave takes the others along.
void LeasedMember::leave_in_turn(const Waiting& waiting, Out& out) {
  next_proposal_.reset();
  if (!may_leave()) return;  // It goes on once the recovery is over.
  Duration pause = pause_left(view_protocol_.view().roster.size(), waiting.view_age);
  if (!waiting.is_behind && pause == Duration::zero())
    return propose(view_protocol_.departure(waiting.leavers), out);
  next_proposal_ = out.now() + (waiting.is_behind ? renewal_period(terms_) : pause);
}

// Other members.

Intake LeasedMember::receive(const PeerInstance& from, std::string_view payload, Out& out) {
  std::string fault = read(payload, *view_protocol_.charter().runs, message_);
  if (!fault.empty()) return {.fault = std::move(fault)};
  try {
    InvariantWatch watch;
    receive(from, message_, out);
  } catch (const BrokenInvariant& broken) {
    out.clear();  // Effects of a life that is over are void.
    return {.fault = broken.what(), .fatal = true};
  }
  auto* told = std::get_if<LockMessage>(&message_);
  return {.lock = told ? std::optional(std::move(told->lock)) : std::nullopt,
          .type = type_of(message_)};
}

void LeasedMember::receive(const PeerInstance& from, const Message& message, Out& out) {
  if (!alive(out)) return;
  if (!lease_.until()) return keep(from, message, out);
  if (const auto* doubt = std::get_if<Doubt>(&message)) {
    if (view_protocol_.view().roster.contains(doubt->whom))
      doubts_[doubt->whom][from.id] = out.now();
    return;
  }
  if (!std::holds_alternative<LockMessage>(message)) tell_copies(out);
  view_protocol_.receive(from, message, out);
  note_view(out.now());
  if (std::holds_alternative<Summons>(message) && view_protocol_.is_behind()) look(out);
  see_forced(out);
  if (may_leave() && !next_proposal_) next_proposal_ = out.now();
}

/// Another member has heard of this one: another newcomer may have taken it along.
void LeasedMember::keep(const PeerInstance& from, const Message& message, Out& out) {
  if (before_lease_.size() == before_lease_max) return view_protocol_.lapse(out);
  if (before_lease_.empty() && announced_) next_look_ = out.now();
  before_lease_.emplace_back(from, message);
}

void LeasedMember::silent(const PeerInstance& life, Duration unacknowledged, Out& out) {
  if (!alive(out) || !view_protocol_.view().roster.contains(life)) return;
  switch (opinion_of({unacknowledged, false, confirmations(life, out.now())}, terms_)) {
    case Opinion::fine: return;
    case Opinion::doubtful:
      for (const Member& other : view_protocol_.view().roster)
        if (other.id != life.id && other.id != view_protocol_.self().id)
          out.send(other.life(), Doubt{life});
      return;
    case Opinion::gone: return suspect(life, out);
  }
}

/// How many other members have recently doubted this one.
unsigned LeasedMember::confirmations(const PeerInstance& life, Time now) const {
  auto found = doubts_.find(life);
  if (found == doubts_.end()) return 0;
  auto lately = [&](const auto& doubt) { return now - doubt.second <= 4 * terms_.length; };
  return static_cast<unsigned>(std::count_if(found->second.begin(), found->second.end(), lately));
}

void LeasedMember::suspect(const PeerInstance& life, Out& out) {
  if (!alive(out) || next_proposal_ || life == view_protocol_.self()) return;
  if (std::optional<View> view = view_protocol_.eviction_of(life)) propose(std::move(*view), out);
}

void LeasedMember::evict(const std::set<PeerInstance>& those, Out& out) {
  bool is_new = !std::includes(evicting_.begin(), evicting_.end(), those.begin(), those.end());
  evicting_ = those;
  if (!is_new || !alive(out) || leaving_ || !lease_.until()) return;
  next_proposal_ = out.now();
  look_after(out);
}

void LeasedMember::timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out) {
  if (alive(out)) view_protocol_.timer(lock, epoch, timer, out);
}

// The process.

bool LeasedMember::request(const std::string& lock, const Wish& wish, Out& out) {
  if (!alive(out)) return false;
  view_protocol_.request(lock, wish, out);
  return true;
}

bool LeasedMember::cancel(const std::string& lock, Out& out) {
  if (!alive(out)) return false;
  view_protocol_.cancel(lock, out);
  return true;
}

bool LeasedMember::release(const std::string& lock, const DataRef& data, Out& out) {
  if (!alive(out)) return false;
  view_protocol_.release(lock, data, out);
  return true;
}

void LeasedMember::copied(const std::string& lock, const DataRef& data, Out& out) {
  if (alive(out)) view_protocol_.copied(lock, data, out);
}

bool LeasedMember::force_open(const std::string& lock, Out& out) {
  if (!alive(out) || leaving_ || !lease_.until()) return false;
  forcing_[lock] = {view_protocol_.view().epoch, std::nullopt};
  next_proposal_ = out.now();
  look_after(out);
  return true;
}

void LeasedMember::relabel(const std::map<NodeId, std::string>& labels, Out& out) {
  if (!alive(out) || leaving_) return;
  labels_ = labels;
  if (next_proposal_ || !view_protocol_.relabelling(labels_)) return;
  next_proposal_ = out.now();
  look_after(out);
}

/// Another peer's view may have forced the same lock open.
void LeasedMember::see_forced(Out& out) {
  for (auto each = forcing_.begin(); each != forcing_.end();) {
    auto& [lock, forcing] = *each;
    Epoch forced = view_protocol_.view().forced_open(lock);
    if (!forcing.accepted && forcing.asked < forced) forcing.accepted = forced;
    bool works = view_protocol_.stage() == ViewStage::working;
    bool open = works && forcing.accepted && *forcing.accepted <= view_protocol_.epoch();
    if (open) out.tell(Opened{lock, *forcing.accepted});
    each = open ? forcing_.erase(each) : std::next(each);
  }
}

void LeasedMember::leave(Out& out) {
  if (!alive(out)) return;
  leaving_ = true;
  // Where other views come at the same time, others may want to leave, too.
  bool is_calm = may_leave() && view_pause_left(out.now()) == Duration::zero();
  announces_leave_ = access_ == Access::own && !is_calm;
  next_proposal_ = out.now();
  look_after(out);
}

// Queries.

std::vector<LockReport> LeasedMember::reports(Time now) const {
  std::vector<LockReport> reports;
  for (const auto& [name, lock] : view_protocol_.locks()) reports.push_back(lock.report(now));
  return reports;
}

/// Null while a recovery is under way.
const AnyValue* LeasedMember::find_value(const std::string& lock) const {
  auto found = view_protocol_.locks().find(lock);
  bool has_value = found != view_protocol_.locks().end() && found->second.value();
  return has_value ? found->second.value().operator->() : nullptr;
}

bool LeasedMember::has_token(const std::string& lock) const {
  const AnyValue* value = find_value(lock);
  return value && value->holds_token();
}

bool LeasedMember::may_be_wanted(const std::string& lock) const {
  const AnyValue* value = find_value(lock);
  return !value || value->may_be_wanted();
}

DataRef LeasedMember::known_data(const std::string& lock) const {
  auto found = view_protocol_.locks().find(lock);
  return found == view_protocol_.locks().end() ? DataRef{} : found->second.status().newest.data;
}

}  // namespace conch::recovery
