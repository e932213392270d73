// A lock as the threads of this process use it: who of them is inside, and with which claim. What
// Mutex and SharedMutex are made of.
#pragma once

#include <conch/deadline.hpp>
#include <conch/receipt.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peer/engine.hpp"
#include "peer/thread_claim.hpp"

namespace conch::peer {

class ThreadLocks {
 public:
  ThreadLocks(Engine& engine, const std::string& name);
  /// Whoever is inside is not any more.
  ~ThreadLocks();

  // All throw Error, as if this thread has locked it before or the peer has left its group.

  void lock(Mode mode) { lock_by(mode, Deadline()); }
  bool try_lock(Mode mode);
  /// False if this time has come before; if it has come already, as `try_lock`.
  bool try_lock_by(Mode mode, const Deadline& deadline);
  void unlock();

  std::uint64_t fence() const;
  bool holds() const;
  Receipt receipt() const;
  void on_lost(std::function<void()> callback);

  const std::string& name() const { return desk_.name; }
  /// By a fork: it must be abandoned, not destroyed.
  bool is_inherited() const { return engine_.is_inherited(); }

 private:
  class Visit;

  Visit& begin(Mode mode);
  bool lock_by(Mode mode, const Deadline& deadline);
  bool conclude(Visit& visit, const Guard& guard);
  void end(Visit& visit);
  Visit* mine() const;
  const Visit& mine_inside() const;

  /// It may outlive the peer.
  std::shared_ptr<Engine> kept_;
  Engine& engine_;
  LockDesk& desk_;
  /// Of the threads that wait or are inside, and some to be used again.
  std::vector<std::unique_ptr<Visit>> visits_;
  std::vector<std::unique_ptr<Visit>> spare_;
  std::function<void()> lost_;
};

}  // namespace conch::peer
