// One lock at this peer: who of it wants it, and what that has cost.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/courier.hpp"
#include "peer/claim.hpp"
#include "peer/local_queue.hpp"

namespace conch::peer {

/// Finds a lock by any kind of string.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};

class LockDesk {
 public:
  explicit LockDesk(std::string name) : name(std::move(name)) {}

  /// By whichever object.
  bool is_locked_by_this_thread() const {
    return std::any_of(queue.inside().begin(), queue.inside().end(), [](const Claim* claim) {
      return claim->thread == std::this_thread::get_id();
    });
  }

  const std::string name;
  LocalQueue queue;
  /// Of who is inside.
  Fence fence;
  /// Which data belong to it, while somebody is inside; what whoever leaves last has left.
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

/// A claim whose thread waits for it.
class ThreadClaim : public Claim {
 public:
  using Claim::Claim;
  void changed() override { driven ? driven->poke() : woken.notify_one(); }

  std::condition_variable woken;
  /// While the thread waits for the sockets itself.
  const net::Courier* driven = nullptr;
};

}  // namespace conch::peer
