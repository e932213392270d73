// Leases, as arithmetic. Every peer keeps one with the register. It counts its own from before it
// asked, the register from when it was asked, and clocks do not run alike: whoever is told nothing
// is out before anybody may act as if it were.
#pragma once

#include <optional>

#include "core/expect.hpp"
#include "core/fields.hpp"
#include "core/kinds.hpp"
#include "core/types.hpp"

namespace conch::recovery {

struct LeaseTerms {
  /// On the register's clock, from when it was asked.
  Duration length = std::chrono::seconds(5);
  /// A second takes a clock between 1 - drift and 1 + drift of its own seconds, in percent.
  unsigned drift_percent = 5;
  CONCH_FIELDS(LeaseTerms, length, drift_percent)

  constexpr bool valid() const { return length > Duration::zero() && drift_percent < 50; }
};

/// The longest that a lock delay may be: for so long nobody enters after a holder that has
/// vanished.
inline constexpr Duration lock_delay_max = std::chrono::hours(24);

/// How long a peer may rely on a lease, on its own clock, from before it asked. The register's
/// clock may be the fastest and the peer's the slowest: length / (1 + drift) in true time is at
/// least this much on a clock that runs at 1 - drift.
constexpr Duration reliable(const LeaseTerms& terms) {
  CONCH_EXPECT(terms.valid(), "a lease has a length, and clocks do not drift by half");
  auto drift = static_cast<std::int64_t>(terms.drift_percent);
  std::int64_t count = terms.length.count();
  // Divided first: the product does not fit. Rounded down, against the holder.
  return Duration(count / (100 + drift) * (100 - drift));
}

/// How long after the last renewal the next one is asked for: two may be lost.
constexpr Duration renewal_period(const LeaseTerms& terms) { return reliable(terms) / 4; }

/// A peer's side of its lease.
class Tenure {
 public:
  Tenure() = default;
  explicit Tenure(const LeaseTerms& terms) : terms_(terms) {}

  /// The register has said yes to what was asked at this time, on this peer's clock.
  void renewed(Time asked) {
    Time until = asked + reliable(terms_);
    if (!until_ || *until_ < until) until_ = until;
  }
  /// Nothing brings a lease back that has run out.
  bool holds(Time now) const { return until_ && now < *until_; }
  /// While it has one: when it runs out.
  std::optional<Time> until() const { return until_; }

 private:
  LeaseTerms terms_;
  std::optional<Time> until_;
};

}  // namespace conch::recovery
