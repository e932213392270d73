#include "cli/group_report.hpp"

#include <nlohmann/json.hpp>

#include "cli/peer_line.hpp"
#include "core/versions.hpp"
#include "node/overlay_group_settings.hpp"
#include "watch/note.hpp"

namespace conch::cli {

using nlohmann::ordered_json;
using recovery::Member;

namespace {

/// The page could not draw more members than this.
constexpr std::size_t members_max = 512;
/// How many locks the page follows.
constexpr std::size_t followed = 12;

ordered_json totals(const LockTable& locks) {
  return {{"known", locks.size()},
          {"held", locks.held()},
          {"waited", locks.waited()},
          {"waiting", locks.waiting()}};
}

/// The locks with most entries per second, filled up with those that have the longest queues.
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
  json["speaks"] = describe(member.speaks);
  json["measured"] = member.adaptive;
  return json;
}

}  // namespace

ordered_json group_json(const GroupSnapshot& survey) {
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
  if (auto overlay_settings = node::parse_overlay_settings(status.view.algorithm)) {
    json["algorithm"] = overlay_settings->algorithm;
    json["all_members"] = false;
    json["dht"] = overlay_settings->dht;
    json["replicas"] = overlay_settings->replicas;
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
