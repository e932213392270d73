#include "cli/live_feed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <conch/version.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/group_report.hpp"
#include "cli/peer_line.hpp"
#include "peer/engine.hpp"

namespace conch::cli {

using nlohmann::ordered_json;
using recovery::Member;
using std::chrono::milliseconds;

namespace {

constexpr Duration beat = milliseconds(50);
constexpr Duration rates_period = milliseconds(500);
constexpr Duration survey_period_min = milliseconds(500);
/// Each lock that a peer names costs a microsecond or two. This period per lock keeps that at a few
/// per cent of our time.
constexpr Duration period_per_lock = std::chrono::microseconds(50);
constexpr Duration survey_age_max = std::chrono::seconds(3);

std::size_t locks_in(const node::Status& status) {
  std::size_t locks = 0;
  for (const node::StatusPart& part : status.parts) locks += part.locks.size();
  return locks;
}

bool is_dead(const node::Status& status, NodeId id) {
  return std::find(status.dead.begin(), status.dead.end(), id) != status.dead.end();
}

}  // namespace

Duration survey_period(std::size_t locks) {
  return std::max(survey_period_min, period_per_lock * static_cast<Duration::rep>(locks));
}

LiveFeed::LiveFeed(Peer& peer, const watch::PeerMetrics& metrics, http::Broadcast& broadcast,
                   bool has_actions)
    : peer_(peer), metrics_(metrics), broadcast_(broadcast), has_actions_(has_actions) {
  thread_ = std::thread([this] { run(); });
}

LiveFeed::~LiveFeed() {
  broadcast_.close();
  thread_.join();
}

void LiveFeed::run() {
  while (broadcast_.await_listener()) {
    peer_.engine().watch(feed_);
    watch_until_alone();
    peer_.engine().unwatch(feed_);
    feed_.take();
    broadcast_.retract();
    std::lock_guard held(mutex_);
    survey_.reset();  // Without listeners, changes go unseen.
  }
}

void LiveFeed::watch_until_alone() {
  greet();
  Time rates_due{};
  Time survey_due{};
  do {
    tell_notes();
    Time now = net::steady_now();
    if (rates_due <= now) {
      tell_rates();
      rates_due = now + rates_period;
    }
    if (survey_due <= now) {
      survey_due = now + tell_group();
    }
  } while (broadcast_.listeners() > 0 && !broadcast_.await_close(beat));
}

/// Sends what does not change, and the recent past.
void LiveFeed::greet() {
  ordered_json hello{{"version", version()},
                     {"self", id_text(NodeId{peer_.id()})},
                     {"group", peer_.group()},
                     {"admin", has_actions_}};
  hello["wait_bounds_s"] = watch::Histogram::bounds;
  hello["past"] = ordered_json::array();
  {
    peer::Guard guard = peer_.engine().guard();
    Time now = net::steady_now();
    for (const watch::Note& note : metrics_.past())
      hello["past"].push_back(watch::json_of(note, now));
  }
  broadcast_.announce("hello", watch::line_of(hello));
}

void LiveFeed::tell_notes() {
  watch::Feed::Notes notes;
  {
    peer::Guard guard = peer_.engine().guard();
    notes = feed_.take();
  }
  if (notes.taken.empty()) return;
  Time now = net::steady_now();
  ordered_json json{{"left_out", notes.left_out}, {"notes", ordered_json::array()}};
  for (const watch::Note& note : notes.taken) json["notes"].push_back(watch::json_of(note, now));
  broadcast_.publish("notes", watch::line_of(json));
}

void LiveFeed::tell_rates() {
  ordered_json json{{"at", watch::wall_ms({}, Time{})}};
  {
    peer::Guard guard = peer_.engine().guard();
    json["handovers"] = metrics_.handovers();
    json["again"] = metrics_.again();
    json["waits"] = metrics_.waits().counts();
  }
  broadcast_.publish("rates", watch::line_of(json));
}

/// Returns when to survey the group again.
Duration LiveFeed::tell_group() {
  std::shared_ptr<const GroupSnapshot> before = last();
  try {
    std::shared_ptr<const GroupSnapshot> now = take_survey();
    broadcast_.announce("group", watch::line_of(group_json(*now)));
    if (before) tell_comings(before->status, now->status);
    return survey_period(now->named);
  } catch (const Error& error) {
    broadcast_.publish("trouble", watch::line_of({{"why", error.what()}}));
    return survey_period_min;
  }
}

/// Reports changes among the members: a peer's observers hear of them only when an epoch begins.
void LiveFeed::tell_comings(const node::Status& before, const node::Status& now) {
  auto notes = ordered_json::array();
  auto tell = [&](const char* event, const Member& member) {
    notes.push_back({{"at", watch::wall_ms({}, Time{})},
                     {"event", event},
                     {"peer", id_text(member.id)},
                     {"cluster", member.cluster}});
  };
  for (const Member& member : now.view.roster) {
    bool was_in = before.view.roster.contains(member.life());
    bool answers = part_of(now, member) != nullptr;
    bool answered = part_of(before, member) != nullptr;
    if (!was_in) tell("joined", member);
    if (was_in && answered && !answers) tell("silent", member);
    if (was_in && !answered && answers) tell("answers", member);
    if (is_dead(now, member.id) && !is_dead(before, member.id)) tell("dead", member);
  }
  for (const Member& member : before.view.roster)
    if (!now.view.roster.contains(member.life())) tell("out", member);
  if (notes.empty()) return;
  broadcast_.publish("notes", watch::line_of({{"left_out", 0}, {"notes", notes}}));
}

std::shared_ptr<const GroupSnapshot> LiveFeed::take_survey() {
  Time begins = net::steady_now();
  node::Status status = peer_.engine().status();
  Time now = net::steady_now();
  std::shared_ptr<const GroupSnapshot> before = last();
  if (!before) before = std::make_shared<const GroupSnapshot>();
  LockTable locks(status, before->locks, now - before->at);
  std::size_t named = locks_in(status);
  auto survey = std::make_shared<const GroupSnapshot>(
      GroupSnapshot{std::move(status), std::move(locks), named, now, now - begins});
  std::lock_guard guard(mutex_);
  survey_ = survey;
  return survey;
}

std::shared_ptr<const GroupSnapshot> LiveFeed::last() {
  std::lock_guard guard(mutex_);
  return survey_;
}

std::shared_ptr<const GroupSnapshot> LiveFeed::latest() {
  std::shared_ptr<const GroupSnapshot> survey = last();
  bool recent = survey && net::steady_now() - survey->at < survey_age_max;
  return recent ? survey : take_survey();
}

}  // namespace conch::cli
