// Messages between members of a group, and events for a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "recovery/algorithm.hpp"
#include "recovery/decision.hpp"
#include "recovery/view.hpp"

namespace conch::recovery {

/// A message of a lock's algorithm. Without one it tells the lock's home that the lock is in use,
/// so that the home creates the token. Void if the epoch is older; kept if it is newer.
struct LockMessage {
  std::string lock;
  Epoch epoch;
  std::optional<Said> message;
  CONCH_NAMED_FIELDS(LockMessage, "Told", lock, epoch, message)
};

/// From the decider: this view was accepted; stop and report.
struct Freeze {
  View view;
  CONCH_FIELDS(Freeze, view)
};

/// To the epoch's only decider. The sender has stopped.
struct Report {
  Epoch epoch;
  LockReports locks;
  CONCH_FIELDS(Report, epoch, locks)
};

/// From the decider: the state in which the epoch starts.
struct Install {
  Epoch epoch;
  LockAssignments locks;
  CONCH_FIELDS(Install, epoch, locks)
};

struct Installed {
  Epoch epoch;
  CONCH_FIELDS(Installed, epoch)
};

/// From a guest: I am on the roster of this view.
struct Hello {
  View view;
  CONCH_FIELDS(Hello, view)
};

/// To a guest: I know that you are on the roster.
struct Welcome {
  CONCH_FIELDS(Welcome)
};

/// To all others: I cannot reach this life.
struct Doubt {
  PeerInstance whom;
  CONCH_FIELDS(Doubt, whom)
};

/// In place of FREEZE and HELLO where a view is large: the register has a view of this number,
/// which concerns the receiver.
struct Summons {
  std::uint64_t view = 0;
  CONCH_FIELDS(Summons, view)
};

/// The first version of the protocol that has it.
inline constexpr std::uint32_t summons_version = 2;

/// The transport adds the lives of the sender and of the receiver.
using Message =
    std::variant<LockMessage, Freeze, Report, Install, Installed, Hello, Welcome, Doubt, Summons>;

/// Decodes a received message for a group that runs this algorithm. Returns what is wrong with it;
/// empty if nothing is.
std::string read(std::string_view bytes, const AnyAlgorithm& algorithm, Message& message);

/// The name for display; for an algorithm's message, the algorithm's name of it.
std::string_view type_of(const Message& message);

// Events for the process.

/// The process holds the lock.
struct Granted {
  std::string lock;
  Baton baton;
  /// The data are older than those of the last holder, which were lost with it.
  bool rolled_back = false;
  CONCH_FIELDS(Granted, lock, baton, rolled_back)
};
/// The holder's data are at another peer now, or are older ones, because their peer is gone.
struct DataMoved {
  std::string lock;
  DataRef data;
  bool rolled_back = false;
  CONCH_NAMED_FIELDS(DataMoved, "Moved", lock, data, rolled_back)
};
/// The request was cancelled.
struct Withdrew {
  std::string lock;
  CONCH_FIELDS(Withdrew, lock)
};
/// The process no longer holds the lock or waits for it: its peer is out of the group, or the lock
/// was forced open. In the latter case it may ask again.
struct LockLost {
  std::string lock;
  CONCH_NAMED_FIELDS(LockLost, "Lost", lock)
};
/// The lock has been forced open by this epoch: every holder with a fence of an older epoch has
/// been told, or its lease has ended.
struct Opened {
  std::string lock;
  Epoch epoch;
  CONCH_FIELDS(Opened, lock, epoch)
};
/// The peer is in the group and may ask.
struct Admitted {
  CONCH_FIELDS(Admitted)
};
/// The peer is out: its lease ran out, or it was evicted. Every `LockLost` has been told. The peer
/// may come back as a new life.
struct Expelled {
  CONCH_FIELDS(Expelled)
};
/// The peer has left, and no member needs it any more.
struct Departed {
  CONCH_FIELDS(Departed)
};
/// The group's settings differ from this peer's, so it stays out. `why` is a sentence that says
/// what to do.
struct JoinRefused {
  std::string why;
  CONCH_NAMED_FIELDS(JoinRefused, "Refused", why)
};
/// A lock's algorithm sets a timer; see Armed and Disarmed.
struct LockArmed {
  std::string lock;
  Epoch epoch;
  Armed armed;
};
struct LockDisarmed {
  std::string lock;
  TimerId timer;
};

using MemberEvent = std::variant<Granted, DataMoved, Withdrew, LockLost, Opened, Admitted, Expelled,
                                 Departed, JoinRefused, LockArmed, LockDisarmed>;

}  // namespace conch::recovery
