#include "cli/group_report.hpp"

#include <nlohmann/json.hpp>

#include "cli/peer_line.hpp"
#include "node/agreement.hpp"
#include "recovery/versions.hpp"
#include "watch/note.hpp"

namespace conch::cli {

using nlohmann::ordered_json;
using recovery::Member;

namespace {

/// More than a page could draw.
constexpr std::size_t members_max = 512;
/// Locks whose token the page follows.
constexpr std::size_t followed = 12;

ordered_json totals(const LockTable& locks) {
  return {{"known", locks.size()},
          {"held", locks.held()},
          {"waited", locks.waited()},
          {"waiting", locks.waiting()}};
}

/// Those that move most, and if too few do, those with the longest queues.
ordered_json busiest(const LockTable& locks) {
  LockQuery query{.busy = true, .order = LockQuery::Order::rate, .count = followed / 2};
  ordered_json rows = locks.window(query)["locks"];
  query.order = LockQuery::Order::queue;
  query.busy = false;
  query.count = followed;
  ordered_json longest = locks.window(query)["locks"];
  for (ordered_json& row : longest) {
    bool listed = std::any_of(rows.begin(), rows.end(), [&](const ordered_json& each) {
      return each["lock"] == row["lock"];
    });
    if (!listed && rows.size() < followed) rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json member_json(const node::Status& status, const Member& member) {
  ordered_json json = member_status(status, member);
  json["speaks"] = recovery::describe(member.speaks);
  json["measured"] = member.adaptive;
  return json;
}

}  // namespace

ordered_json group_json(const Survey& survey) {
  const node::Status& status = survey.status;
  ordered_json json{{"at", watch::wall_ms({}, Time{})},
                    {"took_s", seconds_of(survey.took)},
                    {"period_s", seconds_of(survey_period(survey.named))},
                    {"group", status.group},
                    {"algorithm", status.view.algorithm},
                    {"eps", status.view.eps},
                    {"epoch", status.view.epoch.value},
                    {"view", status.view.number},
                    {"asked", id_text(status.self.id)},
                    {"all_members", true}};
  if (auto agreement = node::parse_agreement(status.view.algorithm)) {
    json["algorithm"] = agreement->algorithm;
    json["all_members"] = false;
    json["dht"] = agreement->dht;
    json["replicas"] = agreement->replicas;
  }
  json["member_count"] = status.view.roster.size();
  json["members"] = ordered_json::array();
  for (const Member& member : status.view.roster)
    if (json["members"].size() < members_max)
      json["members"].push_back(member_json(status, member));
  json["locks"] = totals(survey.locks);
  json["busiest"] = busiest(survey.locks);
  return json;
}

}  // namespace conch::cli
