// A mutex that readers share among all peers of a group. It is SharedTimedLockable, for
// std::shared_lock and std::unique_lock. The group's algorithm must support sharing (`conch
// algorithms` lists those that do); otherwise the constructor throws.
//
// Any number of threads may use one object. What Mutex says about threads, lost locks and outliving
// the peer applies here, too.
#pragma once

#include <chrono>
#include <conch/deadline.hpp>
#include <conch/export.hpp>
#include <conch/peer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace conch {

class CONCH_API SharedMutex {
 public:
  SharedMutex(Peer& peer, const std::string& name);
  ~SharedMutex();
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock();
  bool try_lock();
  void unlock();

  void lock_shared();
  bool try_lock_shared();
  void unlock_shared();

  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& patience) {
    return try_lock_by(Deadline::after(patience));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_by(Deadline::at(deadline));
  }
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& patience) {
    return try_lock_shared_by(Deadline::after(patience));
  }
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_shared_by(Deadline::at(deadline));
  }

  /// These do the same as in Mutex, for a thread that holds the lock.
  std::uint64_t fence() const;
  bool holds() const;
  void on_lost(std::function<void()> callback);

  const std::string& name() const;

 private:
  bool try_lock_by(const Deadline& deadline);
  bool try_lock_shared_by(const Deadline& deadline);

  struct CONCH_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace conch
