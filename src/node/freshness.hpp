// An upper bound for the age of a message, without synchronised clocks. The protocols over an
// overlay ignore a message that is older than half a lease, and a channel may keep one for minutes.
//
// A sender stamps a message with what its own clock shows, and with an echo: what the receiver's
// clock showed in the last message that came from there, and what its own clock showed when it
// came. The receiver concludes that its clock showed at least `yours` when the sender's showed
// `mine`. So the bound is too large by one transit. Clocks also drift, so a bound is trusted only
// for a while in which they cannot have come far apart.
#pragma once

#include <map>
#include <optional>

#include "recovery/view.hpp"

namespace conch::node {

struct Echo {
  /// The receiver's clock when it sent, and the sender's when that message came.
  Duration yours{};
  Duration mine{};
  CONCH_FIELDS(Echo, yours, mine)
};
struct Postmark {
  Duration sent{};
  std::optional<Echo> echo;
  CONCH_FIELDS(Postmark, sent, echo)
};

class Freshness {
 public:
  explicit Freshness(Duration trust) : trust_(trust) {}

  Postmark stamp(const PeerInstance& to, Time now) const {
    auto found = known_.find(to);
    bool heard = found != known_.end() && found->second.heard;
    return {now.time_since_epoch(), heard ? found->second.heard : std::nullopt};
  }

  /// Empty until the other side has received something from here.
  std::optional<Duration> age(const PeerInstance& from, const Postmark& mark, Time now) {
    if (known_.size() >= size_max && !known_.contains(from)) known_.clear();
    Known& known = known_[from];
    Duration here = now.time_since_epoch();
    known.heard = Echo{mark.sent, here};
    if (mark.echo) {
      // What the receiver's clock showed, at least, when the sender's showed zero.
      Duration offset = mark.echo->yours - mark.echo->mine;
      bool better = !known.offset || offset > *known.offset || here - known.measured > trust_;
      if (better) known.offset = offset, known.measured = here;
    }
    if (!known.offset) return std::nullopt;
    return std::max(here - (mark.sent + *known.offset), Duration::zero());
  }
  void forget(const PeerInstance& life) { known_.erase(life); }

 private:
  static constexpr std::size_t size_max = 4096;

  struct Known {
    std::optional<Echo> heard;
    std::optional<Duration> offset;
    Duration measured{};
  };
  Duration trust_;
  std::map<PeerInstance, Known> known_;
};

}  // namespace conch::node
