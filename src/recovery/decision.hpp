// What a peer reports of its locks when an epoch ends, and how the decider merges the reports.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "recovery/algorithm.hpp"
#include "recovery/view.hpp"

namespace conch::recovery {

struct HoldReport {
  Wish wish;
  Fence fence;
  CONCH_NAMED_FIELDS(HoldReport, "Holding", wish, fence)
};

struct WaitReport {
  Wish wish;
  /// Time since the request on the peer's own clock. Durations can be compared across peers; clock
  /// readings cannot.
  Duration waited{};
  CONCH_NAMED_FIELDS(WaitReport, "Waiting", wish, waited)
};

/// One lock, as one peer sees it.
struct LockReport {
  std::string lock;
  std::optional<HoldReport> held;
  std::optional<WaitReport> waits;
  /// The newest baton that this peer has been granted, released or heard of.
  Baton known;
  /// Newer data were lost in an earlier epoch, and nobody has written since.
  bool rolled_back = false;
  /// The newest data whose bytes are stored here.
  std::optional<DataRef> copy;
  CONCH_FIELDS(LockReport, lock, held, waits, known, rolled_back, copy)

  /// A blank report does not change the decision: versions of data grow with the fences of an
  /// epoch, so another peer reports any newer data.
  bool is_blank() const {
    return !held && !waits && !rolled_back && !copy && known.data == DataRef{};
  }
};

using LockReports = std::vector<LockReport>;

/// The state in which a lock starts in the new epoch.
struct LockAssignment {
  std::string lock;
  std::vector<NodeClaim> holders;
  std::vector<NodeClaim> waiters;
  DataRef data;
  /// Newer data existed, but no member has a copy of them.
  bool rolled_back = false;
  CONCH_FIELDS(LockAssignment, lock, holders, waiters, data, rolled_back)
};

using LockAssignments = std::vector<LockAssignment>;

/// Validates a received report: each lock occurs once, and is held or waited for but not both.
bool is_sound(const LockReports& locks);

/// Validates a received decision: all holders and waiters are founders, none occurs twice, and the
/// holders of a lock do not conflict.
bool is_sound(const LockAssignments& locks, const Members& founders);

/// Decides who keeps which lock, who waits in which order, and where the data are. Omits locks with
/// nothing to remember: the epoch alone makes their next fence larger.
LockAssignments decide(const Roster& roster, const std::map<PeerInstance, LockReports>& reports);

}  // namespace conch::recovery
