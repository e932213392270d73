// The rounds in which a holder renews its lease at the replicas. The lease runs from when the last
// round was sent that a majority has acknowledged.
#pragma once

#include <array>

#include "core/flat_set.hpp"
#include "overlay/tenure.hpp"

namespace conch::overlay {

class Rounds {
 public:
  /// Starts a new tenure: earlier acknowledgements do not count.
  void start() { confirmed_ = round_; }
  bool first() const { return round_ == confirmed_; }
  /// The replicas that have acknowledged the last round.
  const FlatSet<Index>& acknowledged() const { return acknowledged_[round_ % slots]; }

  template <class Out>
  std::uint32_t next(Duration lease, Out& out) {
    ++round_;
    acknowledged_[round_ % slots].clear();
    if (lease == Duration::zero()) return round_;
    out.arm(timer_of(Alarm::round, round_ % slots), lease, lease);
    out.arm(timer_of(Alarm::renew), lease / 3, lease / 3);
    return round_;
  }
  /// Whether this answer completes a later round: `needed` replicas have acknowledged it now.
  bool acknowledge(std::uint32_t round, Index replica, Index needed) {
    if (round <= ended_ || round <= confirmed_ || round > round_ || round_ - round >= slots)
      return false;
    FlatSet<Index>& acknowledged = acknowledged_[round % slots];
    acknowledged.insert(replica);
    if (acknowledged.size() < needed) return false;
    confirmed_ = round;
    return true;
  }
  /// Whether this is the timer of a round, and the lease has run out with it.
  bool end(TimerId timer) {
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      if (timer != timer_of(Alarm::round, slot)) continue;
      ended_ = round_ - (round_ + slots - slot) % slots;
      return confirmed_ <= ended_;
    }
    return false;
  }
  /// Whether an answer to this round can still count, now or later.
  bool counts(std::uint32_t round) const { return round > confirmed_; }
  /// Late answers name an earlier tenure, so the next tenure may count from the beginning.
  template <class Out>
  void stop(Out& out) {
    out.disarm(timer_of(Alarm::renew));
    for (std::uint32_t slot = 0; slot < slots; ++slot) out.disarm(timer_of(Alarm::round, slot));
    *this = {};
  }

 private:
  /// How many rounds can still count: one is sent every third of a lease.
  static constexpr std::uint32_t slots = 4;

  std::uint32_t round_ = 0;
  /// The last round that enough replicas have acknowledged, and the last one sent a lease ago.
  std::uint32_t confirmed_ = 0;
  std::uint32_t ended_ = 0;
  std::array<FlatSet<Index>, slots> acknowledged_;

 public:
  CONCH_FIELDS(Rounds, round_, confirmed_, ended_, acknowledged_)
};

}  // namespace conch::overlay
