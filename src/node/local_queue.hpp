// The threads and clients of this peer that want a lock, in the order in which they asked, and the
// one place that they share in the group's queue.
//
// The first in line asks the group. A claim that leaves gives the lock back, and then the next in
// line asks: a remote waiter comes in between, and without one the lock does not move. So a remote
// waiter lets at most one local entry pass. Readers are the exception: while some are inside, those
// next in line join them, up to a limit if another peer may be waiting.
//
// A value: it is told what happened, and says what to do next in the group's queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/expect.hpp"
#include "core/types.hpp"
#include "node/claim.hpp"

namespace conch::node {

class LocalQueue {
 public:
  /// How many readers enter before the lock is given back, if another peer may be waiting.
  static constexpr unsigned shared_entries_max = 64;

  enum class Place : std::uint8_t { none, asked, inside, withdrawing };

  struct Step {
    enum class Kind : std::uint8_t { ask, withdraw, release } kind;
    /// The mode to ask for.
    Mode mode = Mode::write;
    friend bool operator==(const Step&, const Step&) = default;
  };

  explicit LocalQueue(unsigned shared_entries = shared_entries_max)
      : shared_entries_(shared_entries) {}

  void add(Claim& claim) { waiting_.push_back(&claim); }
  /// The claim waits no longer, or leaves.
  void remove(Claim& claim) {
    std::erase(waiting_, &claim);
    std::erase(inside_, &claim);
  }

  // What the group says.

  void granted(std::vector<Claim*>& entered) {
    CONCH_EXPECT(place_ == Place::asked, "only a claim that asked is granted");
    place_ = Place::inside;
    entries_ = 0;
    if (serves_first()) admit(entered);  // The claim that asked may have given up.
  }
  void withdrew() {
    CONCH_EXPECT(place_ == Place::withdrawing, "only a claim that withdraws has withdrawn");
    place_ = Place::none;
  }
  /// The peer has lost its place, whatever it was; claims that wait go on waiting.
  void lost(std::vector<Claim*>& losers) {
    place_ = Place::none;
    losers.insert(losers.end(), inside_.begin(), inside_.end());
    inside_.clear();
  }

  /// The next step in the group's queue; the caller must carry it out. Before that, readers join
  /// those inside if they may share their fence. `may_be_wanted` says whether another peer may be
  /// waiting.
  template <class MayJoin, class MayBeWanted>
  std::optional<Step> next(std::vector<Claim*>& entered, const MayJoin& may_join,
                           const MayBeWanted& may_be_wanted) {
    if (has_readers_in_line() && may_join()) admit_readers(entered, may_be_wanted);
    switch (place_) {
      case Place::none:
        if (waiting_.empty()) return std::nullopt;
        place_ = Place::asked;
        mode_ = waiting_.front()->mode;
        return Step{Step::Kind::ask, mode_};
      case Place::asked:
        if (serves_first()) return std::nullopt;
        place_ = Place::withdrawing;
        return Step{Step::Kind::withdraw};
      case Place::inside:
        if (!inside_.empty()) return std::nullopt;
        place_ = Place::none;
        return Step{Step::Kind::release};
      case Place::withdrawing: return std::nullopt;
    }
    return std::nullopt;
  }

  Place place() const { return place_; }
  Mode mode() const { return mode_; }
  const std::vector<Claim*>& waiting() const { return waiting_; }
  const std::vector<Claim*>& inside() const { return inside_; }
  /// Readers are inside, and another reader could join them at once.
  bool is_read() const { return has_readers_inside() && waiting_.empty(); }
  bool has_readers_inside() const { return !inside_.empty() && reading(); }
  /// Readers are inside, and the first in line is a reader, too.
  bool has_readers_in_line() const {
    return has_readers_inside() && !waiting_.empty() && waiting_.front()->mode == Mode::read;
  }
  bool idle() const { return place_ == Place::none && waiting_.empty(); }

 private:
  /// Whether the mode that was asked for suits the first in line: a writer's place serves a reader.
  bool serves_first() const {
    if (waiting_.empty()) return false;
    return mode_ == Mode::write || waiting_.front()->mode == Mode::read;
  }
  bool reading() const { return inside_.front()->mode == Mode::read; }

  void admit(std::vector<Claim*>& entered) {
    ++entries_;
    inside_.push_back(waiting_.front());
    entered.push_back(waiting_.front());
    waiting_.erase(waiting_.begin());
  }
  template <class Question>
  void admit_readers(std::vector<Claim*>& entered, const Question& may_be_wanted) {
    while (has_readers_in_line() && (entries_ < shared_entries_ || !may_be_wanted()))
      admit(entered);
  }

  Place place_ = Place::none;
  Mode mode_ = Mode::write;
  unsigned shared_entries_;
  unsigned entries_ = 0;
  std::vector<Claim*> waiting_;
  std::vector<Claim*> inside_;
};

}  // namespace conch::node
