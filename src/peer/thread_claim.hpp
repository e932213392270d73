// A claim for which a thread waits.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <thread>

#include "net/sockets.hpp"
#include "node/local_lock.hpp"

namespace conch::peer {

using node::Claim;
using node::LocalLock;

class ThreadClaim : public Claim {
 public:
  using Claim::Claim;
  void changed() override { driven ? driven->poke() : woken.notify_one(); }

  std::condition_variable woken;
  /// Set while the thread itself waits for the sockets; it is then woken through them.
  const net::Sockets* driven = nullptr;
  /// The thread that has locked it or waits to; none if any thread may unlock it.
  std::thread::id thread;
};

/// Whether this thread has locked it, through whichever object.
inline bool is_locked_by_this_thread(const LocalLock& local_lock) {
  return std::any_of(local_lock.queue.inside().begin(), local_lock.queue.inside().end(),
                     [](const Claim* claim) {
                       const auto* own = dynamic_cast<const ThreadClaim*>(claim);
                       return own && own->thread == std::this_thread::get_id();
                     });
}

}  // namespace conch::peer
