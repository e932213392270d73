// A mutex among all peers of a group: TimedLockable, so std::scoped_lock, std::unique_lock and
// std::lock work with it, over several of them, too.
//
// Objects of this class may be used by any number of threads; as with std::mutex, who has locked it
// unlocks it. It is not recursive: a thread that locks it twice, or another object for the same
// lock of the same peer, gets an Error. If the lock is lost (see `on_lost`), `unlock` does nothing.
// An object that outlives its peer throws.
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

  // Any clock and any duration will do; where no time is left they do as `try_lock`.

  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& patience) {
    return try_lock_by(Deadline::after(patience));
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return try_lock_by(Deadline::at(deadline));
  }

  // For who is inside.

  /// Larger than that of every entry before, of any peer, for ever. Throws Error unless inside.
  std::uint64_t fence() const;
  /// Whether the lock is still there.
  bool holds() const;
  Receipt receipt() const;
  /// Called by a thread of the library when the lock is lost while somebody is inside. It must not
  /// lock, unlock, or have the peer leave.
  void on_lost(std::function<void()> callback);

  const std::string& name() const;

 private:
  bool try_lock_by(const Deadline& deadline);

  struct CONCH_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace conch
