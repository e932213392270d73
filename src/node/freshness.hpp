// How old a message is at most, without clocks that agree: the protocols over an overlay want none
// that is older than half a lease, and a channel may keep one for minutes.
//
// Whoever writes says what its clock shows, and what the clock of the reader showed in the last
// message that it had from there, and when that came. The reader knows then that the writer's clock
// showed that when its own showed at least this: so it has an upper bound, which is too large by
// one transit. Clocks need not agree. They do not run alike either: so a bound is believed for a
// while only, in which they cannot have come far apart.
#pragma once

#include <map>
#include <optional>

#include "recovery/view.hpp"

namespace conch::node {

struct Echo {
  /// What the reader's clock showed when it wrote, and the writer's when it read that.
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

  Postmark stamp(const recovery::Life& to, Time now) const {
    auto found = known_.find(to);
    bool heard = found != known_.end() && found->second.heard;
    return {now.time_since_epoch(), heard ? found->second.heard : std::nullopt};
  }

  /// Nothing before the other has had something from here.
  std::optional<Duration> age(const recovery::Life& from, const Postmark& mark, Time now) {
    if (known_.size() >= size_max && !known_.contains(from)) known_.clear();
    Known& known = known_[from];
    Duration here = now.time_since_epoch();
    known.heard = Echo{mark.sent, here};
    if (mark.echo) {
      // The reader's clock, at least, when the writer's showed zero.
      Duration offset = mark.echo->yours - mark.echo->mine;
      bool better = !known.offset || offset > *known.offset || here - known.measured > trust_;
      if (better) known.offset = offset, known.measured = here;
    }
    if (!known.offset) return std::nullopt;
    return std::max(here - (mark.sent + *known.offset), Duration::zero());
  }
  void forget(const recovery::Life& life) { known_.erase(life); }

 private:
  static constexpr std::size_t size_max = 4096;

  struct Known {
    std::optional<Echo> heard;
    std::optional<Duration> offset;
    Duration measured{};
  };
  Duration trust_;
  std::map<recovery::Life, Known> known_;
};

}  // namespace conch::node
