// A lock as the threads of this process use it: who of them is inside, and with which claim. What
// Mutex and SharedMutex are made of.
#pragma once

#include <conch/receipt.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "peer/engine.hpp"

namespace conch::peer {

class ThreadLocks {
 public:
  ThreadLocks(Engine& engine, const std::string& name);
  /// Whoever is inside is not any more.
  ~ThreadLocks();

  /// False if this time has come before. Throws std::system_error if this thread is inside, Error
  /// if the peer has left its group.
  bool lock(Mode mode, std::optional<Time> until);
  bool try_lock(Mode mode);
  void unlock();

  std::uint64_t fence() const;
  bool holds() const;
  Receipt receipt() const;
  void on_lost(std::function<void()> callback);

  const std::string& name() const { return desk_.name; }

 private:
  class Visit;

  Visit& begin(Mode mode);
  bool conclude(Visit& visit, const Guard& guard);
  void end(Visit& visit);
  Visit* mine() const;
  const Visit& mine_inside() const;

  Engine& engine_;
  LockDesk& desk_;
  /// Of the threads that wait or are inside, and some to be used again.
  std::vector<std::unique_ptr<Visit>> visits_;
  std::vector<std::unique_ptr<Visit>> spare_;
  std::function<void()> lost_;
};

/// How long it is, from now, on the peer's clock.
std::optional<Time> until(std::chrono::steady_clock::time_point deadline);

}  // namespace conch::peer
