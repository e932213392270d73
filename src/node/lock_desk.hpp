// One lock at this peer: who of it wants it, and what that has cost.
#pragma once

#include <cstdint>
#include <string>

#include "node/claim.hpp"
#include "node/local_queue.hpp"

namespace conch::node {

class LockDesk {
 public:
  LockDesk(std::string name, unsigned shared_entries)
      : name(std::move(name)), queue(shared_entries) {}

  const std::string name;
  LocalQueue queue;
  /// The fence of those inside.
  Fence fence;
  /// The data that the lock protects. A writer sets it to what it has written before it leaves.
  DataRef data;
  /// Newer data were lost, and nobody has written since.
  bool rolled_back = false;
  Time inside_since{};
  /// It was not here before; until somebody has entered.
  bool came = false;
  Traffic traffic;
  /// Mutexes and tickets that are for this lock: the desk stays while there are any.
  unsigned users = 0;
  /// Something has changed: there may be a next step.
  bool touched = false;
};

}  // namespace conch::node
