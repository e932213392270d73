#include "cli/status_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/holders.hpp"
#include "cli/peer_line.hpp"
#include "node/overlay_group_settings.hpp"

namespace conch::cli {

using namespace node;
using namespace peer;
using recovery::Member;

std::string seconds_text(Duration duration) {
  return fmt::format("{:.1f} s", seconds_of(duration));
}

std::string lease_text(const Status& status, const Member& member) {
  bool dead = std::find(status.dead.begin(), status.dead.end(), member.id) != status.dead.end();
  if (dead) return "ended";
  const StatusPart* part = part_of(status, member);
  if (!part) return "no answer";
  return part->lease ? seconds_text(*part->lease) : "none";
}

nlohmann::ordered_json member_status(const Status& status, const Member& member) {
  nlohmann::ordered_json json{{"id", id_text(member.id)},
                              {"address", member.address},
                              {"guest", member.guest},
                              {"cluster", member.cluster},
                              {"lease", lease_text(status, member)}};
  const StatusPart* part = part_of(status, member);
  json["answers"] = part != nullptr;
  if (!part) return json;
  json["process"] = part->process;
  json["age_s"] = seconds_of(part->age);
  if (part->lease) json["lease_s"] = seconds_of(*part->lease);
  json["clients"] = part->clients;
  visit_fields(part->counts,
               [&](std::string_view name, const auto& count) { json[std::string(name)] = count; });
  return json;
}

namespace {

nlohmann::ordered_json json_of(const std::vector<GroupStatus::Claim>& parts) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& part : parts)
    json.push_back({{"member", id_text(NodeId{part.member})},
                    {"shared", part.shared},
                    {"since_s", seconds_of(part.since)},
                    {"in_line", part.in_line}});
  return json;
}

nlohmann::ordered_json json_of(const std::vector<ClaimPart>& claims) {
  auto json = nlohmann::ordered_json::array();
  for (const ClaimPart& claim : claims)
    json.push_back({{"lock", claim.lock},
                    {"holds", claim.holds},
                    {"shared", claim.reads},
                    {"since_s", seconds_of(claim.since)}});
  return json;
}

/// One row for each process that holds or waits, with the peer that it uses.
nlohmann::ordered_json json_of(const Claims& claims) {
  auto json = nlohmann::ordered_json::array();
  for (const ClaimsPart& part : claims.parts)
    for (const ProcessPart& process : part.processes)
      json.push_back({{"member", id_text(part.life.id)},
                      {"host", part.host},
                      {"process", process.process},
                      {"user", user_text(process.user, part.host)},
                      {"command", process.command},
                      {"locks", json_of(process.claims)}});
  return json;
}

}  // namespace

std::string json_text(const Status& status, const Claims& claims) {
  nlohmann::ordered_json json{{"group", status.group},      {"algorithm", status.view.algorithm},
                              {"eps", status.view.eps},     {"epoch", status.view.epoch.value},
                              {"view", status.view.number}, {"asked", id_text(status.self.id)}};
  // Without a register, a peer knows only its neighbours.
  json["all_members"] = !parse_overlay_settings(status.view.algorithm);
  json["members"] = nlohmann::ordered_json::array();
  for (const Member& member : status.view.roster)
    json["members"].push_back(member_status(status, member));
  json["locks"] = nlohmann::ordered_json::array();
  for (const auto& [name, lock] : locks_of(status)) {
    nlohmann::ordered_json each{
        {"lock", name}, {"holders", json_of(lock.holders)}, {"waiters", json_of(lock.waiters)}};
    if (!lock.holders.empty())
      each["fence"] = std::to_string(lock.fence);  // JavaScript and jq have 53 bits.
    if (lock.token) each["token"] = id_text(NodeId{*lock.token});
    json["locks"].push_back(each);
  }
  json["processes"] = json_of(claims);
  return json.dump(2);
}

}  // namespace conch::cli
