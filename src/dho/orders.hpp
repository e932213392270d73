// What a handle wants done by its lock manager, by whoever moves its data, by the world and by the
// application. It is filled during one call and emptied by the world after it.
#pragma once

#include <variant>
#include <vector>

#include "core/types.hpp"
#include "dho/status.hpp"

namespace conch::dho {

// To the lock manager.

/// Become a member of the group of the handle's name; `joined` answers.
struct Join {
  CONCH_FIELDS(Join)
};
/// `entered` answers, or `withdrawn` if it is cancelled before.
struct Ask {
  Mode mode = Mode::write;
  CONCH_FIELDS(Ask, mode)
};
struct Cancel {
  CONCH_FIELDS(Cancel)
};
/// The application has left the data as they shall be, or has not come for them. If they are on
/// their way, nobody waits for them any more.
struct Release {
  CONCH_FIELDS(Release)
};
/// `left` answers.
struct Leave {
  CONCH_FIELDS(Leave)
};

/// To who moves data: get them here from where the lock has them; `brought` answers.
struct Bring {
  CONCH_FIELDS(Bring)
};

// To the world: the one timer of a handle. After the delay, `deadline`.

struct Arm {
  Duration delay{};
  CONCH_FIELDS(Arm, delay)
};
struct Disarm {
  CONCH_FIELDS(Disarm)
};

// To the application: a call that answered `waiting` has ended.

struct Created {
  CONCH_FIELDS(Created)
};
struct CreateFailed {
  Status status = Status::ok;
  CONCH_FIELDS(CreateFailed, status)
};
struct Acquired {
  CONCH_FIELDS(Acquired)
};
struct AcquireFailed {
  Status status = Status::ok;
  CONCH_FIELDS(AcquireFailed, status)
};

using Order = std::variant<Join, Ask, Cancel, Release, Leave, Bring, Arm, Disarm, Created,
                           CreateFailed, Acquired, AcquireFailed>;

/// Carried out in this order; what is answered to one is told to the handle after the last.
using Orders = std::vector<Order>;

}  // namespace conch::dho
