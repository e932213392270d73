#include "node/inquiries.hpp"

#include <algorithm>
#include <utility>

#include "node/names.hpp"
#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

constexpr Duration survey_patience = std::chrono::seconds(1);
constexpr Duration errand_patience = std::chrono::seconds(10);

}  // namespace

void Inquiries::reply(ClientId client, const ClientReply& reply) {
  std::string bytes;
  encode(bytes, reply);
  node_.send(client, bytes);
}

// Status.

void Inquiries::ask(Asker<Status> asker, Time now) {
  next_askers_.push_back(std::move(asker));
  if (!survey_) begin_survey(now);
}

void Inquiries::begin_survey(Time now) {
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

void Inquiries::asked(const Life& by, const StatusAsk& m, Time now) {
  StatusPart part = node_.status_part(now);
  part.number = m.number;
  node_.send(by, packed(PayloadKind::status_part, part));
}

void Inquiries::told(const Life& by, const StatusPart& m, Time now) {
  bool is_awaited = survey_ && survey_->number == m.number && survey_->awaited.erase(by) > 0;
  if (!is_awaited || m.life != by) return;
  survey_->status.parts.push_back(m);
  if (survey_->awaited.empty()) finish_survey(now);
}

void Inquiries::finish_survey(Time now) {
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
    "this group has no register in which somebody could be put out, or a lock forced open: a lock "
    "whose holder is dead is free when its lease has run out";

}  // namespace

void Inquiries::evict(ClientId client, NodeId member, Haste haste, Time now) {
  if (!node_.steward().has_roster()) return reply(client, Failed{nobody_to_force});
  if (!node_.steward().lease_until()) return reply(client, Failed{std::string(not_in_group)});
  const Member* found = node_.steward().view().roster.find(member);
  if (!found)
    return reply(client,
                 Failed{"no member " + in_hex(member.value) + "; `conch status` lists them"});
  Life life = found->life();
  if (life == node_.self())
    return reply(client, Failed{"a peer does not evict itself: stop it, or ask another one"});
  errands_.push_back({client, life, now + errand_patience});
  if (haste == Haste::now && node_.understands_claims(*found))
    node_.send(life, packed(PayloadKind::hurry, Hurry{}));
  propose_evictions(now);
}

/// As long as somebody waits for it, and in a new life of this peer, too.
void Inquiries::propose_evictions(Time now) {
  std::set<Life> those;
  for (const Errand& errand : errands_)
    if (const Life* life = std::get_if<Life>(&errand.goal)) those.insert(*life);
  node_.steward().evict(those, node_.effects().at(now));
}

/// Those who run commands under it are asked first, and say how long that takes. Who does not
/// answer is waited for no longer than its lease runs: then the register decides when it is over,
/// which knows its lock delay.
void Inquiries::force_open(ClientId client, const std::string& lock, Haste haste, Time now) {
  if (!node_.steward().has_roster()) return reply(client, Failed{nobody_to_force});
  if (haste == Haste::now) return force_open_now(client, lock, now);
  // Between two of its lives this peer does not know whom to ask.
  if (!node_.steward().lease_until()) return reply(client, Failed{std::string(not_in_group)});
  std::uint64_t number = ++asked_;
  Vacating& vacating = vacating_[number];
  vacating = {client, lock, {}, now + node_.lease_length()};
  tell_patience(vacating, now);
  for (const Member& member : node_.steward().view().roster) {
    if (node_.understands_claims(member)) {
      vacating.awaited.insert(member.life());
    } else {
      vacating.is_held = true;  // It cannot be asked.
    }
  }
  for (const Life& life : std::set(vacating.awaited))
    if (life != node_.self()) node_.send(life, packed(PayloadKind::vacate, Vacate{number, lock}));
  node_.vacate(node_.self(), {number, lock}, now);
}

void Inquiries::tell_patience(const Vacating& vacating, Time now) {
  reply(vacating.client, Underway{vacating.until - now + errand_patience});
}

void Inquiries::told(const Life& by, const Vacates& m, Time now) {
  auto found = vacating_.find(m.number);
  if (found == vacating_.end() || !found->second.awaited.contains(by)) return;
  if (now + m.most <= found->second.until) return;
  found->second.until = now + m.most;
  tell_patience(found->second, now);
}

void Inquiries::told(const Life& by, const Vacated& m, Time now) {
  auto found = vacating_.find(m.number);
  if (found == vacating_.end() || found->second.awaited.erase(by) == 0) return;
  found->second.ended += m.ended;
  found->second.is_held = found->second.is_held || m.holds;
  if (found->second.awaited.empty()) finish_vacating(m.number, now);
}

/// If commands have ended, and nobody else was inside, the next one is in by now.
void Inquiries::finish_vacating(std::uint64_t number, Time now) {
  auto found = vacating_.find(number);
  Vacating vacating = std::move(found->second);
  vacating_.erase(found);
  bool is_open = vacating.ended > 0 && vacating.awaited.empty() && !vacating.is_held;
  is_open ? reply(vacating.client, Done{}) : force_open_now(vacating.client, vacating.lock, now);
}

/// A member that was put out does not say whether it was inside, and its commands may still run:
/// the epoch that forces the lock open waits for them.
void Inquiries::forget_vacating_of_others(const View& view, Time now) {
  std::vector<std::uint64_t> done;
  for (auto& [number, vacating] : vacating_) {
    auto is_out = [&](const Life& life) { return !view.roster.contains(life); };
    if (std::erase_if(vacating.awaited, is_out) > 0) vacating.is_held = true;
    if (vacating.awaited.empty()) done.push_back(number);
  }
  for (std::uint64_t number : done) finish_vacating(number, now);
}

void Inquiries::force_open_now(ClientId client, const std::string& lock, Time now) {
  errands_.push_back({client, lock, now + errand_patience});
  node_.steward().force_open(lock, node_.effects().at(now));
}

void Inquiries::follow_view(const View& view, Time now) {
  finish_errands([&](const Errand& errand) -> std::optional<ClientReply> {
    const Life* life = std::get_if<Life>(&errand.goal);
    if (!life || view.roster.contains(*life)) return std::nullopt;
    return Done{};
  });
  if (!errands_.empty()) propose_evictions(now);
  forget_vacating_of_others(view, now);
}

void Inquiries::admitted(Time now) {
  for (const Errand& errand : errands_)
    if (const std::string* lock = std::get_if<std::string>(&errand.goal))
      node_.steward().force_open(*lock, node_.effects().at(now));
}

void Inquiries::opened(const std::string& lock) {
  finish_errands([&](const Errand& errand) -> std::optional<ClientReply> {
    const std::string* goal = std::get_if<std::string>(&errand.goal);
    if (!goal || *goal != lock) return std::nullopt;
    return Done{};
  });
}

/// Those for which there is an answer now; whether there are any.
template <class AnswerTo>
bool Inquiries::finish_errands(AnswerTo&& answer_to) {
  return std::erase_if(errands_, [&](const Errand& errand) {
           std::optional<ClientReply> answer = answer_to(errand);
           if (answer) reply(errand.client, *answer);
           return answer.has_value();
         }) > 0;
}

/// What has become of it instead.
std::string Inquiries::why_overdue(const Errand& errand) const {
  auto whole = std::chrono::duration_cast<std::chrono::seconds>(errand_patience);
  std::string seconds = std::to_string(whole.count());
  std::string why;
  if (const Life* life = std::get_if<Life>(&errand.goal)) {
    why = in_hex(life->id.value) + " is still a member after " + seconds +
          " s: the register has not accepted that it goes, and is not asked again";
  } else {
    why = std::get<std::string>(errand.goal) + " is not open after " + seconds +
          " s: the register has not accepted it, or a member does not answer; it opens as soon as "
          "they do";
  }
  return node_.trouble().empty() ? why : why + " (" + node_.trouble() + ")";
}

void Inquiries::left(ClientId client, Time now) {
  forget(next_askers_, client);
  if (survey_) forget(survey_->askers, client);
  std::size_t gone =
      std::erase_if(errands_, [&](const Errand& errand) { return errand.client == client; });
  if (gone > 0) propose_evictions(now);
  std::erase_if(vacating_, [&](const auto& each) { return each.second.client == client; });
}

Time Inquiries::wakes() const {
  Time earliest = Time::max();
  if (survey_) earliest = std::min(earliest, survey_->until);
  for (const Errand& errand : errands_) earliest = std::min(earliest, errand.until);
  for (const auto& [number, vacating] : vacating_) earliest = std::min(earliest, vacating.until);
  return earliest;
}

void Inquiries::look_after(Time now) {
  if (survey_ && survey_->until <= now) finish_survey(now);
  for (const auto& [number, vacating] : std::map(vacating_))
    if (vacating.until <= now) finish_vacating(number, now);
  bool were_overdue = finish_errands([&](const Errand& errand) -> std::optional<ClientReply> {
    if (errand.until > now) return std::nullopt;
    return Failed{why_overdue(errand)};
  });
  if (were_overdue) propose_evictions(now);
}

}  // namespace conch::node
