// The live feed of a peer's page: events of this peer as they happen, and the state of the group as
// often as is cheap.
//
// It has a thread of its own, which sleeps while no client is connected. Otherwise it observes the
// peer, fetches what the feed has collected, and surveys the group; the more locks there are, the
// less often.
#pragma once

#include <conch/peer.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/lock_table.hpp"
#include "http/broadcast.hpp"
#include "watch/feed.hpp"
#include "watch/metrics.hpp"

namespace conch::cli {

/// The state of the group at some moment.
struct GroupSnapshot {
  node::Status status;
  LockTable locks;
  /// How many locks the peers have named, counting each lock once per peer.
  std::size_t named = 0;
  Time at{};
  Duration took{};
};

/// How long to wait before the next survey, given how many locks the peers have named.
Duration survey_period(std::size_t locks);

class LiveFeed {
 public:
  /// All arguments must outlive it.
  LiveFeed(Peer& peer, const watch::PeerMetrics& metrics, http::Broadcast& broadcast,
           bool has_actions);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  /// At most a few seconds old.
  std::shared_ptr<const GroupSnapshot> latest();

 private:
  void run();
  void watch_until_alone();
  void greet();
  void tell_notes();
  void tell_rates();
  Duration tell_group();
  void tell_comings(const node::Status& before, const node::Status& now);
  std::shared_ptr<const GroupSnapshot> take_survey();
  /// Null before the first survey.
  std::shared_ptr<const GroupSnapshot> last();

  Peer& peer_;
  const watch::PeerMetrics& metrics_;
  http::Broadcast& broadcast_;
  bool has_actions_;
  watch::Feed feed_;
  std::mutex mutex_;
  std::shared_ptr<const GroupSnapshot> survey_;
  std::thread thread_;
};

}  // namespace conch::cli
