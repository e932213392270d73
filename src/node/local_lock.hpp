// One lock at this peer: its local queue, its data, and its traffic.
#pragma once

#include <cstdint>
#include <string>

#include "node/claim.hpp"
#include "node/local_queue.hpp"

namespace conch::node {

class LocalLock {
 public:
  LocalLock(std::string name, unsigned shared_entries)
      : name(std::move(name)), queue(shared_entries) {}

  const std::string name;
  LocalQueue queue;
  /// The fence of the claims inside.
  Fence fence;
  /// The data that the lock protects. A writer sets it to what it has written before it leaves.
  DataRef data;
  /// Newer data were lost, and nobody has written since.
  bool rolled_back = false;
  Time inside_since{};
  /// The lock has come from elsewhere, and nobody has entered since.
  bool came = false;
  LockTraffic traffic;
  /// How many mutexes, tickets and claims use the local lock, which stays as long as there are any.
  unsigned users = 0;
  /// Something has changed, so there may be a next step.
  bool touched = false;
};

}  // namespace conch::node
