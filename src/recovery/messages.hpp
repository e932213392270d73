// What members of a group say to one another, and what a process is told.
#pragma once

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

/// A message of a lock's algorithm, or none: then somebody uses the lock, and its home is to make
/// the token. Of an older epoch it is void; of a newer one it waits.
struct Told {
  std::string lock;
  Epoch epoch;
  std::optional<Said> message;
  CONCH_FIELDS(Told, lock, epoch, message)
};

/// From the decider: this view was accepted; stop and report.
struct Freeze {
  View view;
  CONCH_FIELDS(Freeze, view)
};

/// To the decider of an epoch, each of which has one. Whoever sends it has stopped.
struct Report {
  Epoch epoch;
  LockReports locks;
  CONCH_FIELDS(Report, epoch, locks)
};

/// From the decider: this is how the epoch starts.
struct Install {
  Epoch epoch;
  LockAssignments locks;
  CONCH_FIELDS(Install, epoch, locks)
};

struct Installed {
  Epoch epoch;
  CONCH_FIELDS(Installed, epoch)
};

/// From a guest: I am on the roster, in this view.
struct Hello {
  View view;
  CONCH_FIELDS(Hello, view)
};

/// To the guest: I know that you are.
struct Welcome {
  CONCH_FIELDS(Welcome)
};

/// To all others: I cannot reach this one.
struct Doubt {
  Life whom;
  CONCH_FIELDS(Doubt, whom)
};

/// The world frames it with the life that sends it and gives it to the life that it is sent to.
using Message = std::variant<Told, Freeze, Report, Install, Installed, Hello, Welcome, Doubt>;

/// Reads one that comes from elsewhere, in a group that runs this algorithm, and says what is wrong
/// with it; nothing if nothing is.
std::string read(std::string_view bytes, const AnyAlgorithm& algorithm, Message& message);

/// Names it as people know it: a message of an algorithm by the algorithm's word.
std::string_view type_of(const Message& message);

// What the process is told.

/// It holds the lock.
struct Granted {
  std::string lock;
  Baton baton;
  /// The data are older than those of the last holder: those were lost with it.
  bool rolled_back = false;
  CONCH_FIELDS(Granted, lock, baton, rolled_back)
};
/// The data that the holder found are elsewhere now, or older ones are: whoever had them is gone.
struct Moved {
  std::string lock;
  DataRef data;
  bool rolled_back = false;
  CONCH_FIELDS(Moved, lock, data, rolled_back)
};
/// The cancelled request is gone.
struct Withdrew {
  std::string lock;
  CONCH_FIELDS(Withdrew, lock)
};
/// It held the lock, or waited for it, and does not any more: its peer is out of the group; or
/// somebody has forced the lock open that it held, and it may ask again.
struct Lost {
  std::string lock;
  CONCH_FIELDS(Lost, lock)
};
/// The lock has been forced open by this epoch: whoever held it with a fence of an older one holds
/// it no more, and has been told or had no lease.
struct Opened {
  std::string lock;
  Epoch epoch;
  CONCH_FIELDS(Opened, lock, epoch)
};
/// The peer is in the group: it may ask.
struct Admitted {
  CONCH_FIELDS(Admitted)
};
/// The peer is out, after its `Lost`s: the lease ran out, or it was evicted. It may come back as a
/// new life.
struct Expelled {
  CONCH_FIELDS(Expelled)
};
/// The peer has left, and nobody needs it any more.
struct Departed {
  CONCH_FIELDS(Departed)
};
/// The group runs what this peer does not: it stays out. `why` is a sentence that says what to do.
struct Refused {
  std::string why;
  CONCH_FIELDS(Refused, why)
};
/// A lock's algorithm wants a timer; see Armed and Disarmed.
struct LockArmed {
  std::string lock;
  Epoch epoch;
  Armed armed;
};
struct LockDisarmed {
  std::string lock;
  TimerId timer;
};

using Event = std::variant<Granted, Moved, Withdrew, Lost, Opened, Admitted, Expelled, Departed,
                           Refused, LockArmed, LockDisarmed>;

}  // namespace conch::recovery
