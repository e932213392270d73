// A claim whose thread waits for it.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <thread>

#include "net/sockets.hpp"
#include "node/lock_desk.hpp"

namespace conch::peer {

using node::Claim;
using node::LockDesk;

class ThreadClaim : public Claim {
 public:
  using Claim::Claim;
  void changed() override { driven ? driven->poke() : woken.notify_one(); }

  std::condition_variable woken;
  /// While the thread waits for the sockets itself.
  const net::Sockets* driven = nullptr;
  /// That has locked it, or waits to; none if any may let go of it.
  std::thread::id thread;
};

/// By whichever object.
inline bool is_locked_by_this_thread(const LockDesk& desk) {
  return std::any_of(desk.queue.inside().begin(), desk.queue.inside().end(),
                     [](const Claim* claim) {
                       const auto* own = dynamic_cast<const ThreadClaim*>(claim);
                       return own && own->thread == std::this_thread::get_id();
                     });
}

}  // namespace conch::peer
