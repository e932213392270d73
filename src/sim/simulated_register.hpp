// The register of a simulation: where views are decided and leases kept. It never fails by itself;
// the world loses questions and answers.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "recovery/lease.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/watching.hpp"

namespace conch::sim {

class SimulatedRegister {
 public:
  /// Each peer is told of the leases that it watches; of how many, as `walk_watched` says.
  explicit SimulatedRegister(const recovery::LeaseTerms& terms,
                             std::size_t watched = recovery::watched_leases)
      : terms_(terms), watched_(watched) {}

  /// The answer when the register's clock shows `now`.
  recovery::RegisterAnswer answer(const PeerInstance& asker, const recovery::RegisterRequest& ask,
                                  Time now);
  /// Ends the leases that have run out. Returns whether there were any.
  bool expire(Time now);
  /// The peer is known to be dead. Returns whether that is news.
  bool end(const PeerInstance& life);
  /// When the next lease runs out.
  std::optional<Time> next_expiry() const;

  const recovery::View& view() const { return view_; }
  /// All that is known, and what a peer is told.
  recovery::RegisterSnapshot snapshot() const;
  recovery::RegisterSnapshot snapshot_for(const PeerInstance& asker) const;
  std::uint64_t refusals() const { return refusals_; }
  /// How much longer than its lease others wait for this life, unless it is seen to be dead.
  Duration lock_delay(const PeerInstance& life) const;
  /// How many epochs have begun; numbers between them are skipped as the clock goes on.
  std::uint64_t epochs() const { return epochs_; }

 private:
  bool take(const recovery::Look&, Time) { return false; }
  bool take(const recovery::Propose& propose, Time now);
  bool take(const recovery::RenewLease& renew, Time now);
  bool take(const recovery::RenewDelayed& renew, Time now);
  bool take(const recovery::AnnounceJoin& announced, Time now);
  bool take(const recovery::AnnounceLeave& announced, Time now);
  recovery::Waiting waiting(const PeerInstance& asker, Time now) const;

  recovery::LeaseTerms terms_;
  std::size_t watched_;
  recovery::View view_;
  std::map<PeerInstance, Time> leases_;
  std::map<PeerInstance, Duration> delays_;
  std::set<PeerInstance> ended_;
  Time accepted_{};
  struct Announced {
    recovery::Newcomer newcomer;
    Time at;
  };
  std::map<PeerInstance, Announced> joining_;
  std::set<PeerInstance> leaving_;
  std::uint64_t refusals_ = 0;
  std::uint64_t epochs_ = 0;
};

}  // namespace conch::sim
