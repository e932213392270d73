// What a peer reports of its locks when an epoch ends, and what the decider makes of the reports.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "recovery/algorithm.hpp"
#include "recovery/view.hpp"

namespace conch::recovery {

struct Holding {
  Wish wish;
  Fence fence;
  CONCH_FIELDS(Holding, wish, fence)
};

struct Waiting {
  Wish wish;
  /// For how long, on its own clock: clocks of several peers cannot be compared, but this can.
  Duration waited{};
  CONCH_FIELDS(Waiting, wish, waited)
};

/// One lock, as one peer sees it.
struct LockReport {
  std::string lock;
  std::optional<Holding> held;
  std::optional<Waiting> waits;
  /// The newest this peer has found or left behind.
  Baton known;
  /// Data newer than these were lost before, and nobody has written since.
  bool rolled_back = false;
  /// The newest data whose bytes are here.
  std::optional<DataRef> copy;
  CONCH_FIELDS(LockReport, lock, held, waits, known, rolled_back, copy)

  /// A decision is the same without it: versions of data grow with the fences of an epoch, so that
  /// others know of newer data than none.
  bool is_blank() const {
    return !held && !waits && !rolled_back && !copy && known.data == DataRef{};
  }
};

using LockReports = std::vector<LockReport>;

/// How a lock starts in the new epoch.
struct LockAssignment {
  std::string lock;
  std::vector<Claim> holders;
  std::vector<Claim> waiters;
  DataRef data;
  /// Newer data are known to have existed, and nobody has them any more.
  bool rolled_back = false;
  CONCH_FIELDS(LockAssignment, lock, holders, waiters, data, rolled_back)
};

using LockAssignments = std::vector<LockAssignment>;

/// Whether a report, which comes from elsewhere, makes sense: a lock once, held or waited for.
bool is_sound(const LockReports& locks);

/// Whether a decision, which comes from elsewhere, can be carried out: all that hold or wait are
/// founders, nobody twice, and those who hold a lock hold it together.
bool is_sound(const LockAssignments& locks, const Members& founders);

/// Who goes on holding what, who waits in which order, and where the data are. Locks of which
/// nothing need be remembered are left out: the epoch is the high bits of every fence.
LockAssignments decide(const Roster& roster, const std::map<Life, LockReports>& reports);

}  // namespace conch::recovery
