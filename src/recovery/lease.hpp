// Lease arithmetic. Every peer has a lease in the register. A peer counts its lease from before it
// sends the renewal, the register from when it receives it, and both allow for clock drift. So a
// peer that hears nothing stops before anybody may act as if it had stopped.
#pragma once

#include <optional>

#include "core/expect.hpp"
#include "core/fields.hpp"
#include "core/kinds.hpp"
#include "core/types.hpp"

namespace conch::recovery {

struct LeaseTerms {
  /// Measured by the register's clock, from when it receives the request.
  Duration length = std::chrono::seconds(5);
  /// Allowed drift in percent: a clock may run at 1 - drift to 1 + drift of true speed.
  unsigned drift_percent = 5;
  CONCH_FIELDS(LeaseTerms, length, drift_percent)

  constexpr bool valid() const { return length > Duration::zero() && drift_percent < 50; }
};

/// Upper bound of a lock delay, the time for which nobody enters after a holder has vanished.
inline constexpr Duration lock_delay_max = std::chrono::hours(24);

/// How long a peer may rely on a lease, on its own clock, counted from before it asked. Worst case:
/// the register's clock is the fastest and the peer's the slowest. length / (1 + drift) of true
/// time is at least this much on a clock that runs at 1 - drift.
constexpr Duration reliable(const LeaseTerms& terms) {
  CONCH_EXPECT(terms.valid(), "a lease has a length, and clocks do not drift by half");
  auto drift = static_cast<std::int64_t>(terms.drift_percent);
  std::int64_t count = terms.length.count();
  // Divides first because the product would overflow. Rounds down, against the holder.
  return Duration(count / (100 + drift) * (100 - drift));
}

/// The time from one renewal to the next; two renewals may be lost.
constexpr Duration renewal_period(const LeaseTerms& terms) { return reliable(terms) / 4; }

/// A peer's side of its lease.
class Lease {
 public:
  Lease() = default;
  explicit Lease(const LeaseTerms& terms) : terms_(terms) {}

  /// The register has confirmed the renewal sent at `asked`, on this peer's clock.
  void renewed(Time asked) {
    Time until = asked + reliable(terms_);
    if (!until_ || *until_ < until) until_ = until;
  }
  /// A lease that has run out cannot be renewed.
  bool holds(Time now) const { return until_ && now < *until_; }
  /// When the lease runs out; empty before the first renewal.
  std::optional<Time> until() const { return until_; }

 private:
  LeaseTerms terms_;
  std::optional<Time> until_;
};

}  // namespace conch::recovery
