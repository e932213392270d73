// The register of a simulation: where views are decided and leases kept. It never fails by itself;
// the world loses questions and answers.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "recovery/lease.hpp"
#include "recovery/register_talk.hpp"

namespace conch::sim {

class SimulatedRegister {
 public:
  explicit SimulatedRegister(const recovery::LeaseTerms& terms) : terms_(terms) {}

  /// The answer when the register's clock shows `now`.
  recovery::RegisterAnswer answer(const recovery::RegisterRequest& ask, Time now);
  /// Ends the leases that have run out. Returns whether there were any.
  bool expire(Time now);
  /// The peer is known to be dead. Returns whether that is news.
  bool end(const PeerInstance& life);
  /// When the next lease runs out.
  std::optional<Time> next_expiry() const;

  const recovery::View& view() const { return view_; }
  recovery::RegisterSnapshot snapshot() const;
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

  recovery::LeaseTerms terms_;
  recovery::View view_;
  std::map<PeerInstance, Time> leases_;
  std::map<PeerInstance, Duration> delays_;
  std::set<PeerInstance> ended_;
  std::uint64_t refusals_ = 0;
  std::uint64_t epochs_ = 0;
};

}  // namespace conch::sim
