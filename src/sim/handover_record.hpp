// What a handover measures: the cycles of its steady peers.
#pragma once

#include <optional>
#include <vector>

#include "sim/handover.hpp"

namespace conch::sim::handover {

struct Cycle {
  std::uint64_t number = 0;
  Time began;
  Time requested;
  Time acquired;  // the call of acquire
  Time locked;
  Time released;
  Time fetching;  // since this time
  std::optional<Duration> fetched;
  std::optional<Duration> handed_over;
};

class Record {
 public:
  void add(const Cycle& cycle, bool is_last) {
    cycles_.push_back(cycle);
    if (is_last && !winding_down_) winding_down_ = cycle.released;
  }
  /// The holder's lock manager was told to release the lock.
  void passed(Time now) { passed_ = now; }
  /// How long the lock was on its way, if this request waited at its release.
  std::optional<Duration> handed_over(Time requested, Time now) const {
    if (!passed_ || requested > *passed_) return std::nullopt;
    return now - *passed_;
  }

  /// `measured` fills in the means, the peers the counts.
  Measured counts;
  Measured measured() const;

 private:
  bool is_steady(const Cycle& cycle) const;

  std::vector<Cycle> cycles_;
  std::optional<Time> winding_down_;
  std::optional<Time> passed_;
};

}  // namespace conch::sim::handover
