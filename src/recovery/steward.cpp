#include "recovery/steward.hpp"

#include <algorithm>

namespace conch::recovery {

// The lease.

bool Steward::alive(Out& out) {
  if (participant_.stage() == Stage::out) return false;
  bool lapsed = tenure_.until() && !tenure_.holds(out.now());
  if (!lapsed || !minds_lease()) return true;
  participant_.lapse(out);
  return false;
}

Time Steward::wakes() const {
  Time earliest = Time::max();
  if (participant_.stage() == Stage::out) return earliest;
  for (const auto& due : {next_look_, next_renewal_, next_proposal_})
    if (due) earliest = std::min(earliest, *due);
  if (minds_lease() && tenure_.until()) earliest = std::min(earliest, *tenure_.until());
  return earliest;
}

void Steward::look_after(Out& out) {
  auto due = [&](std::optional<Time>& at) { return at && *at <= out.now(); };
  if (due(next_look_)) look(out);
  if (due(next_renewal_)) renew(out);
  if (!due(next_proposal_)) return;
  next_proposal_.reset();
  if (std::optional<View> view = proposal()) propose(std::move(*view), out);
}

/// What there is reason to propose, the most urgent first.
std::optional<View> Steward::proposal() const {
  if (leaving_ && participant_.stage() == Stage::working) return participant_.departure();
  if (std::optional<View> eviction = participant_.eviction(evicting_)) return eviction;
  std::vector<std::string> locks;
  for (const auto& [lock, forcing] : forcing_)
    if (!forcing.accepted) locks.push_back(lock);
  if (locks.empty() && !participant_.is_worn()) return participant_.relabelling(labels_);
  return participant_.renewal(locks);
}

// The register.

void Steward::ask(Question question, Out& out) {
  std::erase_if(
      open_, [&](const auto& each) { return each.second.asked + 2 * terms_.length < out.now(); });
  const auto* delayed = std::get_if<RenewDelayed>(&question);
  open_[++asked_] = {out.now(), delayed || std::holds_alternative<Renew>(question),
                     std::holds_alternative<Propose>(question),
                     delayed ? delayed->lock_delay : Duration{}};
  out.ask({asked_, std::move(question)});
}

void Steward::look(Out& out) {
  ask(Look{}, out);
  bool inside = tenure_.until().has_value();
  next_look_ = inside ? std::nullopt : std::optional(out.now() + answer_patience());
}

void Steward::renew(Out& out) {
  const Life& self = participant_.self();
  bool is_delayed = lock_delay_ > recorded_lock_delay_;
  ask(is_delayed ? Question(RenewDelayed{self, lock_delay_}) : Question(Renew{self}), out);
  next_renewal_ = out.now() + answer_patience();
}

void Steward::delay_locks(Duration lock_delay, Out& out) {
  if (lock_delay <= lock_delay_) return;
  lock_delay_ = lock_delay;
  if (alive(out) && tenure_.until()) renew(out);
}

/// If no answer comes, the proposal is made again, as far as there is still reason to.
void Steward::propose(View view, Out& out) {
  ask(Propose{view}, out);
  next_proposal_ = out.now() + answer_patience();
  if (without_ == Rule::acceptance) see({std::move(view), {}}, out);
}

void Steward::answered(const Answer& answer, Out& out) {
  if (!alive(out)) return;
  auto found = open_.find(answer.number);
  if (found == open_.end()) return;
  auto [asked, renews, proposes, lock_delay] = found->second;
  open_.erase(found);
  if (answer.yes && renews) {
    tenure_.renewed(asked);
    recorded_lock_delay_ = std::max(recorded_lock_delay_, lock_delay);
    next_renewal_ = asked + renewal_period(terms_);
  }
  // Somebody else's was accepted: ours is to be made against that.
  if (proposes && !answer.yes) next_proposal_.reset();
  if (alive(out)) learn(answer.standing, out);
}

void Steward::learn(const Standing& standing, Out& out) {
  bool comes = !tenure_.until();
  if (comes) return come_in(standing, out);
  next_look_.reset();
  see(standing, out);
  std::erase_if(doubts_,
                [&](const auto& each) { return !participant_.view().roster.contains(each.first); });
  std::erase_if(evicting_,
                [&](const Life& life) { return !participant_.view().roster.contains(life); });
  for (const auto& [from, message] : std::exchange(before_lease_, {})) receive(from, message, out);
  if (standing.has_ended(participant_.self())) participant_.lapse(out);
  see_forced(out);
  bool reason = proposal().has_value();
  if (!reason) next_proposal_.reset();
  // What only this one wants nobody else proposes.
  bool own = leaving_ || !forcing_.empty() || !evicting_.empty();
  Duration delay = own ? Duration::zero() : proposal_delay(rank(), terms_);
  if (reason && !next_proposal_) next_proposal_ = out.now() + delay;
}

void Steward::see(const Standing& standing, Out& out) {
  tell_copies(out);
  participant_.learn(standing, out);
}

/// Before the participant may report what is here.
void Steward::tell_copies(Out& out) {
  if (!new_copies_) return;
  for (const Copy& copy : new_copies_()) participant_.copied(copy.lock, copy.data, out);
}

/// A lease counts from when a renewal was asked for. That of an admission would not do: a proposal
/// that is made again is accepted again, and the lease has run since the first time. Who has been
/// put out before it knew that it was in needs a new life: the others wait for the end of this one.
void Steward::come_in(const Standing& standing, Out& out) {
  next_look_ = out.now() + answer_patience();
  bool member = standing.view.roster.contains(participant_.self());
  bool was_member = !member && standing.view.mentions(participant_.self());
  if (was_member || standing.has_ended(participant_.self())) return participant_.lapse(out);
  if (member) return renew(out);
  seek_admission(standing, out);
}

void Steward::seek_admission(const Standing& standing, Out& out) {
  View view = participant_.admission(standing);
  const Charter& ours = participant_.charter();
  auto differs = [&](const std::string& theirs, const std::string& own, const std::string& start) {
    participant_.stay_out("the group runs " + theirs + ", this peer was started with " + own +
                              "; start it with " + start,
                          out);
  };
  if (view.algorithm != ours.algorithm)
    return differs(view.algorithm, ours.algorithm, "--algorithm " + view.algorithm);
  std::string eps = std::to_string(view.eps);
  if (ours.insists_on_eps && view.eps != ours.tuning.eps)
    return differs("with eps " + eps, std::to_string(ours.tuning.eps), "--eps " + eps);
  if (std::string why = language_barrier(view.roster, participant_.self().id); !why.empty())
    return participant_.stay_out(std::move(why), out);
  ask(Propose{std::move(view)}, out);
}

/// How many members that are alive come before this one.
std::size_t Steward::rank() const {
  std::size_t before = 0;
  std::vector<NodeId> dead = participant_.dead();
  for (const Member& member : participant_.view().roster) {
    if (member.id == participant_.self().id) break;
    if (std::find(dead.begin(), dead.end(), member.id) == dead.end()) ++before;
  }
  return before;
}

// The others.

Intake Steward::receive(const Life& from, std::string_view payload, Out& out) {
  std::string fault = read(payload, *participant_.charter().runs, message_);
  if (!fault.empty()) return {.fault = std::move(fault)};
  try {
    InvariantWatch watch;
    receive(from, message_, out);
  } catch (const BrokenInvariant& broken) {
    out.clear();  // What a life wanted that is over does not count.
    return {.fault = broken.what(), .fatal = true};
  }
  auto* told = std::get_if<Told>(&message_);
  return {.lock = told ? std::optional(std::move(told->lock)) : std::nullopt,
          .type = type_of(message_)};
}

void Steward::receive(const Life& from, const Message& message, Out& out) {
  if (!alive(out)) return;
  if (!tenure_.until()) return keep(from, message, out);
  if (const auto* doubt = std::get_if<Doubt>(&message)) {
    if (participant_.view().roster.contains(doubt->whom)) doubts_[doubt->whom][from.id] = out.now();
    return;
  }
  if (!std::holds_alternative<Told>(message)) tell_copies(out);
  participant_.receive(from, message, out);
  see_forced(out);
  bool may_leave = leaving_ && participant_.stage() == Stage::working;
  if (may_leave && !next_proposal_) next_proposal_ = out.now();
}

void Steward::keep(const Life& from, const Message& message, Out& out) {
  if (before_lease_.size() == before_lease_max) return participant_.lapse(out);
  before_lease_.emplace_back(from, message);
}

void Steward::silent(const Life& life, Duration unacknowledged, Out& out) {
  if (!alive(out) || !participant_.view().roster.contains(life)) return;
  switch (opinion_of({unacknowledged, false, confirmations(life, out.now())}, terms_)) {
    case Opinion::fine: return;
    case Opinion::doubtful:
      for (const Member& other : participant_.view().roster)
        if (other.id != life.id && other.id != participant_.self().id)
          out.send(other.life(), Doubt{life});
      return;
    case Opinion::gone: return suspect(life, out);
  }
}

/// How many others have doubted it lately.
unsigned Steward::confirmations(const Life& life, Time now) const {
  auto found = doubts_.find(life);
  if (found == doubts_.end()) return 0;
  auto lately = [&](const auto& doubt) { return now - doubt.second <= 4 * terms_.length; };
  return static_cast<unsigned>(std::count_if(found->second.begin(), found->second.end(), lately));
}

void Steward::suspect(const Life& life, Out& out) {
  if (!alive(out) || next_proposal_ || life == participant_.self()) return;
  if (std::optional<View> view = participant_.eviction_of(life)) propose(std::move(*view), out);
}

void Steward::evict(const std::set<Life>& those, Out& out) {
  bool is_new = !std::includes(evicting_.begin(), evicting_.end(), those.begin(), those.end());
  evicting_ = those;
  if (!is_new || !alive(out) || leaving_ || !tenure_.until()) return;
  next_proposal_ = out.now();
  look_after(out);
}

void Steward::timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out) {
  if (alive(out)) participant_.timer(lock, epoch, timer, out);
}

// The process.

bool Steward::request(const std::string& lock, const Wish& wish, Out& out) {
  if (!alive(out)) return false;
  participant_.request(lock, wish, out);
  return true;
}

bool Steward::cancel(const std::string& lock, Out& out) {
  if (!alive(out)) return false;
  participant_.cancel(lock, out);
  return true;
}

bool Steward::release(const std::string& lock, const DataRef& data, Out& out) {
  if (!alive(out)) return false;
  participant_.release(lock, data, out);
  return true;
}

void Steward::copied(const std::string& lock, const DataRef& data, Out& out) {
  if (alive(out)) participant_.copied(lock, data, out);
}

bool Steward::force_open(const std::string& lock, Out& out) {
  if (!alive(out) || leaving_ || !tenure_.until()) return false;
  forcing_[lock] = {participant_.view().epoch, std::nullopt};
  next_proposal_ = out.now();
  look_after(out);
  return true;
}

void Steward::relabel(const std::map<NodeId, std::string>& labels, Out& out) {
  if (!alive(out) || leaving_) return;
  labels_ = labels;
  if (next_proposal_ || !participant_.relabelling(labels_)) return;
  next_proposal_ = out.now();
  look_after(out);
}

/// The view may be somebody else's who wants the same.
void Steward::see_forced(Out& out) {
  for (auto each = forcing_.begin(); each != forcing_.end();) {
    auto& [lock, forcing] = *each;
    Epoch forced = participant_.view().forced_open(lock);
    if (!forcing.accepted && forcing.asked < forced) forcing.accepted = forced;
    bool works = participant_.stage() == Stage::working;
    bool open = works && forcing.accepted && *forcing.accepted <= participant_.epoch();
    if (open) out.tell(Opened{lock, *forcing.accepted});
    each = open ? forcing_.erase(each) : std::next(each);
  }
}

void Steward::leave(Out& out) {
  if (!alive(out)) return;
  leaving_ = true;
  next_proposal_ = out.now();
  look_after(out);
}

// What is known.

std::vector<LockReport> Steward::reports(Time now) const {
  std::vector<LockReport> reports;
  for (const auto& [name, lock] : participant_.locks()) reports.push_back(lock.report(now));
  return reports;
}

/// None while a recovery is under way.
const AnyValue* Steward::find_value(const std::string& lock) const {
  auto found = participant_.locks().find(lock);
  bool has_value = found != participant_.locks().end() && found->second.value();
  return has_value ? found->second.value().operator->() : nullptr;
}

bool Steward::has_token(const std::string& lock) const {
  const AnyValue* value = find_value(lock);
  return value && value->holds_token();
}

bool Steward::may_be_wanted(const std::string& lock) const {
  const AnyValue* value = find_value(lock);
  return !value || value->may_be_wanted();
}

DataRef Steward::known_data(const std::string& lock) const {
  auto found = participant_.locks().find(lock);
  return found == participant_.locks().end() ? DataRef{} : found->second.status().newest.data;
}

}  // namespace conch::recovery
