#include "peer/claim_survey.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <iterator>
#include <utility>

#include "peer/clients.hpp"
#include "peer/engine.hpp"
#include "peer/names.hpp"

namespace conch::peer {

using namespace recovery;

namespace {

constexpr Duration patience_max = std::chrono::seconds(1);
/// More claims of one process are not shown.
constexpr std::size_t claims_max = 4096;

/// The words of the command line, as proc(5) has them.
std::string command_of_this_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

void add_claim(const Claim& claim, const std::string& lock, Time now,
               std::vector<ClaimPart>& found) {
  bool is_meant = claim.has_place() && (lock.empty() || claim.desk->name == lock);
  if (!is_meant || found.size() == claims_max) return;
  bool holds = claim.state == Claim::State::inside;
  found.push_back({claim.desk->name, holds, claim.mode == Mode::read,
                   holds ? claim.held(now) : now - claim.asked});
}

ClaimsPart Engine::claims_part(const std::string& lock, Time now) const {
  ClaimsPart part{0, life_, host_name(), {}};
  ProcessPart own{static_cast<std::uint64_t>(::getpid()), ::geteuid()};
  for (const auto& [name, desk] : desks_) {
    if (!lock.empty() && name != lock) continue;
    for (const std::vector<Claim*>* claims : {&desk->queue.inside(), &desk->queue.waiting()})
      for (const Claim* claim : *claims)
        if (claim->is_own()) add_claim(*claim, lock, now, own.claims);
  }
  if (!own.claims.empty()) {
    own.command = printable(command_.empty() ? command_of_this_process() : command_);
    part.processes.push_back(std::move(own));
  }
  clients_->describe(lock, now, part.processes);
  return part;
}

/// A question about one lock is urgent, so it does not wait for the next survey.
void ClaimSurvey::ask(net::ClientId client, const AskClaims& m, Time now) {
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

bool Engine::understands_claims(const Member& member) const {
  // Without a register the versions of members are seen from their connections alone.
  if (!steward_->has_roster()) return courier_->version_with(member.life()) >= claims_version;
  return common(member.speaks, spoken()).value_or(0) >= claims_version;
}

void ClaimSurvey::begin(Survey survey, Time now) {
  std::uint64_t number = ++asked_;
  survey.claims.parts.push_back(engine_.claims_part(survey.lock, now));
  std::string question = packed(PayloadKind::claims_ask, ClaimsAsk{number, survey.lock});
  std::vector<NodeId> dead = engine_.steward().dead();
  for (const Member& member : engine_.steward().view().roster) {
    if (member.life() == engine_.self()) continue;
    bool is_dead = std::find(dead.begin(), dead.end(), member.id) != dead.end();
    bool is_asked = !is_dead && engine_.understands_claims(member) &&
                    engine_.courier().send(member.life(), question);
    if (is_asked) survey.awaited.insert(member.life());
    if (!is_asked) survey.claims.silent.push_back(member.id);
  }
  bool alone = survey.awaited.empty();
  surveys_.emplace(number, std::move(survey));
  if (alone) finish(number);
}

void ClaimSurvey::asked(const Life& by, const ClaimsAsk& m) {
  ClaimsPart part = engine_.claims_part(m.lock, net::steady_now());
  part.number = m.number;
  engine_.courier().send(by, packed(PayloadKind::claims_part, part));
}

void ClaimSurvey::told(const Life& by, ClaimsPart part) {
  auto found = surveys_.find(part.number);
  if (found == surveys_.end() || part.life != by || found->second.awaited.erase(by) == 0) return;
  part.host = printable(part.host);
  for (ProcessPart& process : part.processes) process.command = printable(process.command);
  found->second.claims.parts.push_back(std::move(part));
  if (found->second.awaited.empty()) finish(found->first);
}

void ClaimSurvey::finish(std::uint64_t number) {
  auto found = surveys_.find(number);
  Survey survey = std::move(found->second);
  surveys_.erase(found);
  for (const Life& life : survey.awaited) survey.claims.silent.push_back(life.id);
  std::sort(survey.claims.parts.begin(), survey.claims.parts.end(),
            [](const ClaimsPart& a, const ClaimsPart& b) { return a.life < b.life; });
  answer_all(survey.askers, survey.claims, engine_.courier());
  if (!survey.lock.empty() || next_askers_.empty()) return;
  Time now = net::steady_now();
  begin({std::exchange(next_askers_, {}), "", now + patience_max}, now);
}

void ClaimSurvey::left(net::ClientId client) {
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
  for (std::uint64_t number : due) finish(number);
}

}  // namespace conch::peer
