// A mutex among all peers of a group. It is TimedLockable, so std::scoped_lock, std::unique_lock
// and std::lock work with it, also for several mutexes at once.
//
// Any number of threads may use one object; as with std::mutex, the thread that locked it unlocks
// it. It is not recursive: a thread that locks it twice, also through another object for the same
// lock of the same peer, gets an Error. After the lock was lost (see `on_lost`), `unlock` does
// nothing. An object that outlives its peer throws.
#pragma once

#include <chrono>
#include <conch/deadline.hpp>
#include <conch/export.hpp>
#include <conch/peer.hpp>
#include <conch/receipt.hpp>
#include <conch/ticket.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace conch {

class CONCH_API Mutex {
 public:
  Mutex(Peer& peer, const std::string& name);
  ~Mutex();
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock();
  /// Asks once, and waits for the answer no longer than PeerOptions::try_patience.
  bool try_lock();
  void unlock();

  // These take any clock and any duration. If no time is left, they do the same as `try_lock`.

  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& patience) {
    return try_lock_by(Deadline::after(patience));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_by(Deadline::at(deadline));
  }

  // These calls are for the thread that holds the lock.

  /// Greater than the fence of every earlier entry of any peer, for ever. Throws Error unless
  /// inside.
  std::uint64_t fence() const;
  /// Whether the lock is still held; false once it is lost.
  bool holds() const;
  Receipt receipt() const;
  /// The library calls this from a thread of its own when the lock is lost while a thread is
  /// inside. The callback must not lock, unlock, or make the peer leave.
  void on_lost(std::function<void()> callback);

  const std::string& name() const;

 private:
  bool try_lock_by(const Deadline& deadline);

  struct CONCH_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace conch
