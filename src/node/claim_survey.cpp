#include "node/claim_survey.hpp"

#include <algorithm>
#include <utility>

#include "node/clients.hpp"
#include "node/names.hpp"
#include "node/node.hpp"

namespace conch::node {

using namespace recovery;

namespace {

constexpr Duration patience_max = std::chrono::seconds(1);
/// Further claims of one process are not shown.
constexpr std::size_t claims_max = 4096;

}  // namespace

void add_claim(const Claim& claim, const std::string& lock, Time now,
               std::vector<ClaimPart>& found) {
  bool is_meant = claim.has_place() && (lock.empty() || claim.local_lock->name == lock);
  if (!is_meant || found.size() == claims_max) return;
  bool holds = claim.state == Claim::State::inside;
  found.push_back({claim.local_lock->name, holds, claim.mode == Mode::read,
                   holds ? claim.held(now) : now - claim.asked});
}

/// A question about one lock is urgent, so it does not wait for the next survey.
void ClaimSurvey::ask(ClientId client, const AskClaims& m, Time now) {
  if (m.lock.empty()) return ask(client, now);
  Duration patience = std::clamp(m.patience, Duration::zero(), patience_max);
  begin({{client}, m.lock, now + patience}, now);
}

void ClaimSurvey::ask(Asker<Claims> asker, Time now) {
  next_askers_.push_back(std::move(asker));
  if (!asks_about_all()) begin({std::exchange(next_askers_, {}), "", now + patience_max}, now);
}

bool ClaimSurvey::asks_about_all() const {
  return std::any_of(surveys_.begin(), surveys_.end(),
                     [](const auto& each) { return each.second.lock.empty(); });
}

void ClaimSurvey::begin(Survey survey, Time now) {
  std::uint64_t number = ++asked_;
  survey.claims.parts.push_back(node_.claims_part(survey.lock, now));
  std::string question = packed(PayloadKind::claims_ask, ClaimsAsk{number, survey.lock});
  std::vector<NodeId> dead = node_.group_member().dead();
  for (const Member& member : node_.group_member().view().roster) {
    if (member.life() == node_.self()) continue;
    bool is_dead = std::find(dead.begin(), dead.end(), member.id) != dead.end();
    bool is_asked =
        !is_dead && node_.understands_claims(member) && node_.send(member.life(), question);
    if (is_asked) survey.awaited.insert(member.life());
    if (!is_asked) survey.claims.silent.push_back(member.id);
  }
  bool alone = survey.awaited.empty();
  surveys_.emplace(number, std::move(survey));
  if (alone) finish(number, now);
}

void ClaimSurvey::asked(const PeerInstance& by, const ClaimsAsk& m, Time now) {
  ClaimsPart part = node_.claims_part(m.lock, now);
  part.number = m.number;
  node_.send(by, packed(PayloadKind::claims_part, part));
}

void ClaimSurvey::told(const PeerInstance& by, ClaimsPart part, Time now) {
  auto found = surveys_.find(part.number);
  if (found == surveys_.end() || part.life != by || found->second.awaited.erase(by) == 0) return;
  part.host = printable(part.host);
  for (ProcessPart& process : part.processes) process.command = printable(process.command);
  found->second.claims.parts.push_back(std::move(part));
  if (found->second.awaited.empty()) finish(found->first, now);
}

void ClaimSurvey::finish(std::uint64_t number, Time now) {
  auto found = surveys_.find(number);
  Survey survey = std::move(found->second);
  surveys_.erase(found);
  for (const PeerInstance& life : survey.awaited) survey.claims.silent.push_back(life.id);
  std::sort(survey.claims.parts.begin(), survey.claims.parts.end(),
            [](const ClaimsPart& a, const ClaimsPart& b) { return a.life < b.life; });
  answer_all(survey.askers, survey.claims, node_);
  if (!survey.lock.empty() || next_askers_.empty()) return;
  begin({std::exchange(next_askers_, {}), "", now + patience_max}, now);
}

void ClaimSurvey::left(ClientId client) {
  forget(next_askers_, client);
  for (auto& [number, survey] : surveys_) forget(survey.askers, client);
}

Time ClaimSurvey::wakes() const {
  Time earliest = Time::max();
  for (const auto& [number, survey] : surveys_) earliest = std::min(earliest, survey.until);
  return earliest;
}

void ClaimSurvey::look_after(Time now) {
  std::vector<std::uint64_t> due;
  for (const auto& [number, survey] : surveys_)
    if (survey.until <= now) due.push_back(number);
  for (std::uint64_t number : due) finish(number, now);
}

}  // namespace conch::node
