// What peers did with locks, before the simulator's oracles: who is inside together, with which
// fences, and who enters or leaves that has not asked or entered.
//
// A hold ends by an `exit`, by a `lost`, or by an epoch in which its holder is no member: it was
// killed, or is late and will hear of it. Of one that was killed nobody knows the last moment: as
// soon as somebody has a message from it that is not in its trace, it may have left, too.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/docket.hpp"
#include "audit/lives.hpp"
#include "oracle/oracles.hpp"

namespace conch::audit {

class Court {
 public:
  Court(Lives& lives, Docket& docket) : lives_(lives), docket_(docket) {}

  /// Why a line should come after others.
  struct Doubt {
    /// It would be a second holder; or it begins an epoch, or its fence is not the next one.
    bool overlaps;
    Fence fence;
    friend auto operator<=>(const Doubt&, const Doubt&) = default;
  };
  /// Of a line that has not been heard, where there are several clocks.
  std::optional<Doubt> doubt(const trace::Line& line, LifeId who) const;
  void has_several_clocks() { several_clocks_ = true; }

  /// The next line in the order of the merged trace, and whose it is. Throws Error if its detail
  /// makes no sense.
  void hear(const trace::Line& line, LifeId who, Place place);
  /// It does not hold anything any more, or nobody can say.
  void forget(LifeId who);
  /// A new life of the same process, in which those wait who waited in the former.
  void inherit(LifeId who, LifeId from);
  /// Somebody takes part who is not traced: what was killed may have handed its lock to it.
  void meet_stranger() { has_strangers_ = true; }
  /// Locks that were seen.
  std::size_t locks() const { return locks_.size(); }
  const std::set<std::uint64_t>& epochs() const { return epochs_; }

 private:
  struct Claim {
    Wish wish;
    Place place;
  };
  struct Hold {
    LifeId who;
    Wish wish;
    Fence fence;
    Place place;
    std::int64_t at;
  };
  /// Between two fences that were seen one after the other; somebody may have had one of them.
  struct Gap {
    Fence after;
    Fence before;
  };
  /// What one life has to do with a lock.
  struct Business {
    std::vector<Claim> waiting;
    /// Holds that were taken from it, as it may not know.
    unsigned revoked = 0;
    Place last;
  };
  struct Lock {
    std::string name;
    oracle::ExclusionOracle exclusion;
    oracle::FenceOracle fences{Fence(Epoch{}, 0)};
    /// By their number, which stands for a node before the oracle.
    std::map<oracle::Node, Hold> holds;
    oracle::Node next_hold = 0;
    std::optional<Hold> newest;
    std::optional<Hold> last_writer;
    std::optional<LifeId> last_inside;
    std::map<LifeId, Business> businesses;
    /// Where there are several clocks. The oldest first, and not many.
    std::vector<Gap> gaps;
  };
  static constexpr std::size_t gaps_max = 16;
  struct Entering {
    Fence fence;
    Wish wish;
  };

  void ask(Lock& lock, const trace::Line& line, LifeId who, Place place);
  void enter(Lock& lock, const trace::Line& line, LifeId who, Place place);
  void leave(Lock& lock, const trace::Line& line, LifeId who, Place place);
  void withdraw(Lock& lock, const trace::Line& line, LifeId who, Place place);
  void begin_epoch(const trace::Line& line);

  Wish take_claim(Lock& lock, const trace::Line& line, const Entering& entering, LifeId who,
                  Place place);
  bool shares_clock(LifeId a, LifeId b) const { return lives_[a].clock == lives_[b].clock; }
  bool is_late(const Hold& hold) const;
  bool is_certain(const Hold& inside, const Hold& hold) const;
  bool is_unordered(Lock& lock, const Hold& hold, const Hold& larger);
  void note_gap(Lock& lock, Fence fence);
  void check_exclusion(Lock& lock, const Hold& hold);
  void check_fence(Lock& lock, const Hold& hold, bool live);
  void drop(Lock& lock, oracle::Node number);
  template <class Predicate>
  void drop_holds(Predicate&& ends, bool revokes);
  Lock& lock_of(const trace::Line& line);
  void report(const Lock& lock, oracle::Property property, const std::string& what, Exhibit now,
              Exhibit before);
  std::string describe(const Hold& hold) const;

  Lives& lives_;
  Docket& docket_;
  std::unordered_map<std::string, Lock, TextHash, std::equal_to<>> locks_;
  std::set<std::uint64_t> epochs_;
  /// Of the latest epoch.
  std::set<LifeId> members_;
  bool has_strangers_ = false;
  bool several_clocks_ = false;
};

/// `fence 1.7`, or `fence 1.7, read`; nothing if it is neither.
struct EntryDetail {
  Fence fence;
  Mode mode = Mode::write;
};
std::optional<EntryDetail> parse_entry(std::string_view detail);
/// Nothing, `read`, `write 10..20`.
std::optional<Wish> parse_wish(std::string_view detail);

}  // namespace conch::audit
