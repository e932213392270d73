// Tells whoever watches a peer's page what happens: at this peer as it happens, and in the group as
// often as is cheap.
//
// A thread of its own that sleeps while nobody watches. Then it is a witness of the peer, fetches
// what was noted, and asks the group how it is; the more locks there are, the less often.
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

/// How the group was at some moment.
struct Survey {
  node::Status status;
  LockTable locks;
  /// Locks that peers have named, by how many of them each.
  std::size_t named = 0;
  Time at{};
  Duration took{};
};

/// After how long to ask again, if the peers have named so many locks.
Duration survey_period(std::size_t locks);

class Lookout {
 public:
  /// All outlive it.
  Lookout(Peer& peer, const watch::Metrics& metrics, http::Broadcast& broadcast, bool has_actions);
  ~Lookout();
  Lookout(const Lookout&) = delete;
  Lookout& operator=(const Lookout&) = delete;

  /// Not older than a few seconds.
  std::shared_ptr<const Survey> latest();

 private:
  void run();
  void watch_until_alone();
  void greet();
  void tell_notes();
  void tell_rates();
  Duration tell_group();
  void tell_comings(const node::Status& before, const node::Status& now);
  std::shared_ptr<const Survey> take_survey();
  /// Nothing before the first.
  std::shared_ptr<const Survey> last();

  Peer& peer_;
  const watch::Metrics& metrics_;
  http::Broadcast& broadcast_;
  bool has_actions_;
  watch::Feed feed_;
  std::mutex mutex_;
  std::shared_ptr<const Survey> survey_;
  std::thread thread_;
};

}  // namespace conch::cli
