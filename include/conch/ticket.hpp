// A place in a lock's queue, so that a thread can do something else while it waits.
//
//   conch::Ticket ticket(peer, "frame");
//   ticket.request();
//   while (!ticket.ready()) draw_something();
//   ticket.acquire();          // does not wait any more
//   ...
//   ticket.release();
//
// One thread at a time uses a ticket; any number of tickets may be for the same lock. Tickets and
// mutexes of one peer wait in one queue, first come, first served. A ticket that was moved from, or
// that outlives its peer, throws.
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
  /// Gives up its place, or the lock.
  ~Ticket();
  Ticket(Ticket&&) noexcept;
  Ticket& operator=(Ticket&&) noexcept;

  /// Takes a place in the queue. Throws Error if the ticket has one.
  void request();
  /// Whether the lock is here, so that `acquire` would not wait.
  bool ready() const;
  /// Waits until the lock is here.
  void acquire();
  /// Returns false if the lock did not come in time; the ticket keeps its place.
  template <class Clock, class Duration>
  bool acquire_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return acquire_by(Deadline::at(deadline));
  }
  /// Gives up the place, or the lock if it is already here.
  void cancel();
  /// Hands the lock to the next waiter.
  void release();

  /// Whether the ticket holds the lock and has not lost it.
  bool holds() const;
  /// Whether the lock was lost while inside: the lease ran out, or the peer was put out of the
  /// group.
  bool lost() const;
  /// Greater than the fence of every earlier entry; shared entries have the fence of the last
  /// exclusive one. Throws Error unless inside.
  std::uint64_t fence() const;
  /// The cost of the last entry.
  Receipt receipt() const;
  // The peer's background thread runs these callbacks. They must return soon, as that thread serves
  // the whole peer, and must not make the peer leave.

  /// Called when `ready` becomes true. Set it before `request`.
  void on_ready(std::function<void()> callback);
  /// Called when the lock is lost while inside.
  void on_lost(std::function<void()> callback);

 private:
  bool acquire_by(const Deadline& deadline);

  struct CONCH_PRIVATE State;
  CONCH_PRIVATE State& state() const;
  std::unique_ptr<State> state_;
};

}  // namespace conch
