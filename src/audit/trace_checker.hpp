// Passes what peers did with locks to the simulator's oracles: two holders at once, fences that do
// not increase, and peers that enter without asking or leave without having entered.
//
// A hold ends by an `exit`, by a `lost`, or by an epoch in which its holder is no member: the
// holder was killed, or will learn of it late. The last moment of a killed peer is unknown. As soon
// as another peer receives a message from it that is not in its trace, it may have left as well.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/lives.hpp"
#include "audit/trace_report.hpp"
#include "oracle/oracles.hpp"

namespace conch::audit {

class TraceChecker {
 public:
  TraceChecker(Lives& lives, TraceReport& trace_report)
      : lives_(lives), trace_report_(trace_report) {}

  /// Why other lines should come first.
  struct Doubt {
    /// True if it would be a second holder; false if it begins an epoch, or if its fence is not the
    /// next one.
    bool overlaps;
    Fence fence;
    friend auto operator<=>(const Doubt&, const Doubt&) = default;
  };
  /// The doubt about a line that was not heard yet. Call it only if there are several clocks.
  std::optional<Doubt> doubt(const trace::Line& line, LifeId who) const;
  void has_several_clocks() { several_clocks_ = true; }

  /// Takes the next line of the merged trace, and the life that wrote it. Throws Error if its
  /// detail is malformed.
  void hear(const trace::Line& line, LifeId who, TracePosition place);
  /// Drops the holds and claims of a life: it holds nothing any more, or its trace does not tell.
  void forget(LifeId who);
  /// `who` is a new life of the same process; the claims that waited in `from` go on waiting.
  void inherit(LifeId who, LifeId from);
  /// A peer that is not traced takes part; a killed holder may have handed its lock to it.
  void meet_stranger() { has_strangers_ = true; }
  /// How many locks occurred.
  std::size_t locks() const { return locks_.size(); }
  const std::set<std::uint64_t>& epochs() const { return epochs_; }

 private:
  struct WaitingClaim {
    Wish wish;
    TracePosition place;
  };
  struct Hold {
    LifeId who;
    Wish wish;
    Fence fence;
    TracePosition place;
    std::int64_t at;
  };
  /// A gap between two fences heard one after the other, into which a later line may fit.
  struct Gap {
    Fence after;
    Fence before;
  };
  /// What one life has to do with a lock.
  struct Business {
    std::vector<WaitingClaim> waiting;
    /// Holds that were taken from it, perhaps without its knowledge.
    unsigned revoked = 0;
    TracePosition last;
  };
  struct Lock {
    std::string name;
    oracle::ExclusionOracle exclusion;
    oracle::FenceOracle fences{Fence(Epoch{}, 0)};
    /// By a number that stands for a node in the oracle.
    std::map<oracle::Node, Hold> holds;
    oracle::Node next_hold = 0;
    std::optional<Hold> newest;
    std::optional<Hold> last_writer;
    std::optional<LifeId> last_inside;
    std::map<LifeId, Business> businesses;
    /// Used if there are several clocks. The oldest gap is first; at most gaps_max.
    std::vector<Gap> gaps;
  };
  static constexpr std::size_t gaps_max = 16;
  struct Entering {
    Fence fence;
    Wish wish;
  };

  void ask(Lock& lock, const trace::Line& line, LifeId who, TracePosition place);
  void enter(Lock& lock, const trace::Line& line, LifeId who, TracePosition place);
  void leave(Lock& lock, const trace::Line& line, LifeId who, TracePosition place);
  void withdraw(Lock& lock, const trace::Line& line, LifeId who, TracePosition place);
  void begin_epoch(const trace::Line& line);

  Wish take_claim(Lock& lock, const trace::Line& line, const Entering& entering, LifeId who,
                  TracePosition place);
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
  void report(const Lock& lock, oracle::Property property, const std::string& what, Evidence now,
              Evidence before);
  std::string describe(const Hold& hold) const;

  Lives& lives_;
  TraceReport& trace_report_;
  std::unordered_map<std::string, Lock, TextHash, std::equal_to<>> locks_;
  std::set<std::uint64_t> epochs_;
  /// The members of the latest epoch.
  std::set<LifeId> members_;
  bool has_strangers_ = false;
  bool several_clocks_ = false;
};

/// `fence 1.7`, or `fence 1.7, read`; empty if the text is neither.
struct EntryDetail {
  Fence fence;
  Mode mode = Mode::write;
};
std::optional<EntryDetail> parse_entry(std::string_view detail);
/// Parses an empty text, `read`, or `write 10..20`.
std::optional<Wish> parse_wish(std::string_view detail);

}  // namespace conch::audit
