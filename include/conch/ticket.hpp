// A place in a lock's queue, so that a thread can do something else while it waits.
//
//   conch::Ticket ticket(peer, "frame");
//   ticket.request();
//   while (!ticket.ready()) draw_something();
//   ticket.acquire();          // does not wait any more
//   ...
//   ticket.release();
//
// A ticket is used by one thread at a time, and any number of tickets may be for the same lock.
// Tickets and mutexes of one peer wait in one queue, first come, first served. A ticket that was
// moved from, or outlives its peer, throws.
#pragma once

#include <chrono>
#include <conch/deadline.hpp>
#include <conch/export.hpp>
#include <conch/peer.hpp>
#include <conch/receipt.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace conch {

enum class Access : std::uint8_t { shared, exclusive };

class CONCH_API Ticket {
 public:
  Ticket(Peer& peer, const std::string& lock, Access access = Access::exclusive);
  /// Gives up whatever it has.
  ~Ticket();
  Ticket(Ticket&&) noexcept;
  Ticket& operator=(Ticket&&) noexcept;

  /// Takes a place in the queue. Throws Error if the ticket has one.
  void request();
  /// Whether the lock is there: `acquire` would not wait.
  bool ready() const;
  /// Waits until the lock is there.
  void acquire();
  /// False if it was not there in time; the place is kept.
  template <class Clock, class Duration>
  bool acquire_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return acquire_by(Deadline::at(deadline));
  }
  /// Gives up the place, or the lock if it is there already.
  void cancel();
  /// Gives the lock to the next.
  void release();

  /// Inside, and not lost.
  bool holds() const;
  /// Was inside, and the lock was lost: the lease ran out, or the peer was put out of the group.
  bool lost() const;
  /// Larger than that of every entry before; shared entries have that of the last exclusive one.
  /// Throws Error unless inside.
  std::uint64_t fence() const;
  /// Of the last entry.
  Receipt receipt() const;
  // Called by the peer's own thread, and must return soon: that thread serves everybody. It must
  // not have the peer leave.

  /// When `ready` has become true. Set it before `request`.
  void on_ready(std::function<void()> callback);
  /// When the lock is lost while inside.
  void on_lost(std::function<void()> callback);

 private:
  bool acquire_by(const Deadline& deadline);

  struct CONCH_PRIVATE State;
  CONCH_PRIVATE State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace conch
