#include "node/status_survey.hpp"

#include <algorithm>
#include <utility>

#include "node/names.hpp"
#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

constexpr Duration survey_patience = std::chrono::seconds(1);
constexpr Duration change_patience = std::chrono::seconds(10);

}  // namespace

void StatusSurvey::reply(ClientId client, const ClientReply& reply) {
  std::string bytes;
  encode(bytes, reply);
  node_.send(client, bytes);
}

// Status.

void StatusSurvey::ask(Asker<Status> asker, Time now) {
  next_askers_.push_back(std::move(asker));
  if (!survey_) begin_survey(now);
}

void StatusSurvey::begin_survey(Time now) {
  survey_ = {
      ++asked_, std::exchange(next_askers_, {}), node_.status_here(now), {}, now + survey_patience};
  std::string question = packed(PayloadKind::status_ask, StatusAsk{survey_->number});
  for (const Member& member : survey_->status.view.roster) {
    if (member.life() == survey_->status.self) continue;
    survey_->awaited.insert(member.life());
    node_.send(member.life(), question);
  }
  if (survey_->awaited.empty()) finish_survey(now);
}

void StatusSurvey::asked(const PeerInstance& by, const StatusAsk& m, Time now) {
  StatusPart part = node_.status_part(now);
  part.number = m.number;
  node_.send(by, packed(PayloadKind::status_part, part));
}

void StatusSurvey::told(const PeerInstance& by, const StatusPart& m, Time now) {
  bool is_meant = survey_ && survey_->number == m.number && m.life == by;
  if (!is_meant || survey_->awaited.erase(by) == 0) return;
  survey_->status.parts.push_back(m);
  if (survey_->awaited.empty()) finish_survey(now);
}

void StatusSurvey::finish_survey(Time now) {
  Survey survey = std::move(*survey_);
  survey_.reset();
  std::vector<StatusPart>& parts = survey.status.parts;
  std::sort(parts.begin(), parts.end(),
            [](const StatusPart& a, const StatusPart& b) { return a.life < b.life; });
  answer_all(survey.askers, survey.status, node_);
  if (!next_askers_.empty()) begin_survey(now);
}

// Changes of the view.

namespace {

const char* const nobody_to_force =
    "this group has no register, so no member can be evicted and no lock forced open; the lock of "
    "a dead holder is free once its lease has ended";

}  // namespace

void StatusSurvey::evict(ClientId client, NodeId member, Haste haste, Time now) {
  if (!node_.group_member().has_roster()) return reply(client, Failed{nobody_to_force});
  if (!node_.group_member().lease_until()) return reply(client, Failed{std::string(not_in_group)});
  const Member* found = node_.group_member().view().roster.find(member);
  if (!found)
    return reply(client,
                 Failed{"no member " + in_hex(member.value) + "; `conch status` lists them"});
  PeerInstance life = found->life();
  if (life == node_.self())
    return reply(client, Failed{"a peer cannot evict itself: stop it, or ask another peer"});
  changes_.push_back({client, life, now + change_patience});
  if (haste == Haste::now && node_.understands_claims(*found))
    node_.send(life, packed(PayloadKind::hurry, Hurry{}));
  propose_evictions(now);
}

/// Evictions are proposed as long as a client waits for them, by a new life of this peer, too.
void StatusSurvey::propose_evictions(Time now) {
  std::set<PeerInstance> those;
  for (const ViewChange& change : changes_)
    if (const PeerInstance* life = std::get_if<PeerInstance>(&change.goal)) those.insert(*life);
  node_.group_member().evict(those, node_.effects().at(now));
}

/// First asks the members to end the commands that run under the lock; they say how long that
/// takes. A member that does not answer is waited for one lease length. Then the register, which
/// knows that member's lock delay, decides when its lease is over.
void StatusSurvey::force_open(ClientId client, const std::string& lock, Haste haste, Time now) {
  if (!node_.group_member().has_roster()) return reply(client, Failed{nobody_to_force});
  if (haste == Haste::now) return force_open_now(client, lock, now);
  // A peer between two lives does not know whom to ask.
  if (!node_.group_member().lease_until()) return reply(client, Failed{std::string(not_in_group)});
  std::uint64_t number = ++asked_;
  Vacating& vacating = vacating_[number];
  vacating = {client, lock, {}, now + node_.lease_length()};
  // Amid a recovery, commands of a member that was evicted may still run, and nobody can ask it.
  // The next epoch waits for them.
  vacating.is_held = node_.group_member().stage() != ViewStage::working;
  tell_patience(vacating, now);
  for (const Member& member : node_.group_member().view().roster) {
    if (node_.understands_claims(member)) {
      vacating.awaited.insert(member.life());
    } else {
      vacating.is_held = true;  // That member cannot be asked.
    }
  }
  for (const PeerInstance& life : std::set(vacating.awaited))
    if (life != node_.self()) node_.send(life, packed(PayloadKind::vacate, Vacate{number, lock}));
  node_.vacate(node_.self(), {number, lock}, now);
}

void StatusSurvey::tell_patience(const Vacating& vacating, Time now) {
  reply(vacating.client, Underway{vacating.until - now + change_patience});
}

void StatusSurvey::told(const PeerInstance& by, const Vacates& m, Time now) {
  auto found = vacating_.find(m.number);
  if (found == vacating_.end() || !found->second.awaited.contains(by)) return;
  if (now + m.most <= found->second.until) return;
  found->second.until = now + m.most;
  tell_patience(found->second, now);
}

void StatusSurvey::told(const PeerInstance& by, const Vacated& m, Time now) {
  auto found = vacating_.find(m.number);
  if (found == vacating_.end() || found->second.awaited.erase(by) == 0) return;
  found->second.ended += m.ended;
  found->second.is_held = found->second.is_held || m.holds;
  if (found->second.awaited.empty()) finish_vacating(m.number, now);
}

/// If commands have ended, and nobody else was inside, the next waiter has entered by now.
void StatusSurvey::finish_vacating(std::uint64_t number, Time now) {
  auto found = vacating_.find(number);
  Vacating vacating = std::move(found->second);
  vacating_.erase(found);
  bool is_open = vacating.ended > 0 && vacating.awaited.empty() && !vacating.is_held;
  is_open ? reply(vacating.client, Done{}) : force_open_now(vacating.client, vacating.lock, now);
}

/// A member that was evicted does not say whether it was inside, and its commands may still run.
/// The epoch that forces the lock open waits for them.
void StatusSurvey::forget_vacating_of_others(const View& view, Time now) {
  std::vector<std::uint64_t> done;
  for (auto& [number, vacating] : vacating_) {
    auto is_out = [&](const PeerInstance& life) { return !view.roster.contains(life); };
    if (std::erase_if(vacating.awaited, is_out) > 0) vacating.is_held = true;
    if (vacating.awaited.empty()) done.push_back(number);
  }
  for (std::uint64_t number : done) finish_vacating(number, now);
}

void StatusSurvey::force_open_now(ClientId client, const std::string& lock, Time now) {
  changes_.push_back({client, lock, now + change_patience});
  node_.group_member().force_open(lock, node_.effects().at(now));
}

void StatusSurvey::follow_view(const View& view, Time now) {
  finish_changes([&](const ViewChange& change) -> std::optional<ClientReply> {
    const PeerInstance* life = std::get_if<PeerInstance>(&change.goal);
    if (!life || view.roster.contains(*life)) return std::nullopt;
    return Done{};
  });
  if (!changes_.empty()) propose_evictions(now);
  forget_vacating_of_others(view, now);
}

void StatusSurvey::admitted(Time now) {
  for (const ViewChange& change : changes_)
    if (const std::string* lock = std::get_if<std::string>(&change.goal))
      node_.group_member().force_open(*lock, node_.effects().at(now));
}

void StatusSurvey::opened(const std::string& lock) {
  finish_changes([&](const ViewChange& change) -> std::optional<ClientReply> {
    const std::string* goal = std::get_if<std::string>(&change.goal);
    if (!goal || *goal != lock) return std::nullopt;
    return Done{};
  });
}

/// Answers and removes the view changes for which there is an answer now. True if there were any.
template <class AnswerTo>
bool StatusSurvey::finish_changes(AnswerTo&& answer_to) {
  return std::erase_if(changes_, [&](const ViewChange& change) {
           std::optional<ClientReply> answer = answer_to(change);
           if (answer) reply(change.client, *answer);
           return answer.has_value();
         }) > 0;
}

/// Why a view change has not ended in time, for the client.
std::string StatusSurvey::why_overdue(const ViewChange& change) const {
  auto whole = std::chrono::duration_cast<std::chrono::seconds>(change_patience);
  std::string seconds = std::to_string(whole.count());
  std::string why;
  if (const PeerInstance* life = std::get_if<PeerInstance>(&change.goal)) {
    why = in_hex(life->id.value) + " is still a member after " + seconds +
          " s: the register has not accepted the eviction, and is not asked again";
  } else {
    why = std::get<std::string>(change.goal) + " is not open after " + seconds +
          " s: the register has not accepted it, or a member does not answer; it opens as soon as "
          "they do";
  }
  return node_.trouble().empty() ? why : why + " (" + node_.trouble() + ")";
}

void StatusSurvey::left(ClientId client, Time now) {
  forget(next_askers_, client);
  if (survey_) forget(survey_->askers, client);
  std::size_t gone =
      std::erase_if(changes_, [&](const ViewChange& change) { return change.client == client; });
  if (gone > 0) propose_evictions(now);
  std::erase_if(vacating_, [&](const auto& each) { return each.second.client == client; });
}

Time StatusSurvey::wakes() const {
  Time earliest = Time::max();
  if (survey_) earliest = std::min(earliest, survey_->until);
  for (const ViewChange& change : changes_) earliest = std::min(earliest, change.until);
  for (const auto& [number, vacating] : vacating_) earliest = std::min(earliest, vacating.until);
  return earliest;
}

void StatusSurvey::look_after(Time now) {
  if (survey_ && survey_->until <= now) finish_survey(now);
  for (const auto& [number, vacating] : std::map(vacating_))
    if (vacating.until <= now) finish_vacating(number, now);
  bool were_overdue = finish_changes([&](const ViewChange& change) -> std::optional<ClientReply> {
    if (change.until > now) return std::nullopt;
    return Failed{why_overdue(change)};
  });
  if (were_overdue) propose_evictions(now);
}

}  // namespace conch::node
