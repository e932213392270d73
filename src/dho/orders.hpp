// The orders of a handle: what it wants done by its lock manager, by the data mover, by the world
// and by the application. A call fills a list of orders; the world carries them out after the call.
#pragma once

#include <variant>
#include <vector>

#include "core/types.hpp"
#include "dho/status.hpp"

namespace conch::dho {

// To the lock manager.

/// Join the group of the handle's name; answered by `joined`.
struct Join {
  CONCH_FIELDS(Join)
};
/// Request the lock; answered by `entered`, or by `withdrawn` if it is cancelled before.
struct Ask {
  Mode mode = Mode::write;
  CONCH_FIELDS(Ask, mode)
};
struct Cancel {
  CONCH_FIELDS(Cancel)
};
/// Release the lock. The application is done with the data, or has not come for them. If data are
/// on their way, the handle no longer waits for them.
struct Release {
  CONCH_FIELDS(Release)
};
/// Leave the group; answered by `left`.
struct Leave {
  CONCH_FIELDS(Leave)
};

/// To the data mover: bring the data here from the place that the lock names; answered by
/// `brought`.
struct Bring {
  CONCH_FIELDS(Bring)
};

// To the world: a handle has one timer. After the delay, the world calls `deadline`.

struct Arm {
  Duration delay{};
  CONCH_FIELDS(Arm, delay)
};
struct Disarm {
  CONCH_FIELDS(Disarm)
};

// To the application: a call that returned `waiting` has ended.

struct Created {
  CONCH_FIELDS(Created)
};
struct CreateFailed {
  CallStatus status = CallStatus::ok;
  CONCH_FIELDS(CreateFailed, status)
};
struct Acquired {
  CONCH_FIELDS(Acquired)
};
struct AcquireFailed {
  CallStatus status = CallStatus::ok;
  CONCH_FIELDS(AcquireFailed, status)
};

using Order = std::variant<Join, Ask, Cancel, Release, Leave, Bring, Arm, Disarm, Created,
                           CreateFailed, Acquired, AcquireFailed>;

/// The world carries them out in this order; the handle is told the answers after the last one.
using Orders = std::vector<Order>;

}  // namespace conch::dho
