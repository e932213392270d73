// A ticket as the Python package uses it: any thread may call it, and it reports its events by
// notices.
#pragma once

#include <conch/ticket.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "python/notices.hpp"

namespace conch::python {

/// Call it without the GIL, as every call may wait for the peer's mutex.
class SharedTicket {
 public:
  SharedTicket(Peer& peer, const std::string& lock, bool shared)
      : ticket_(peer, lock, shared ? Access::shared : Access::exclusive) {}

  void tell_ready(const std::shared_ptr<Notices>& notices, std::uint64_t number) {
    std::lock_guard guard(mutex_);
    ticket_.on_ready([notices, number] { notices->ready(number); });
  }
  void tell_lost(const std::shared_ptr<Notices>& notices, std::uint64_t number) {
    std::lock_guard guard(mutex_);
    ticket_.on_lost([notices, number] { notices->lost(number); });
  }

  void request() {
    std::lock_guard guard(mutex_);
    ticket_.request();
  }
  /// Waits for this many seconds, or for ever. Returns false if the lock did not come in time; the
  /// ticket keeps its place.
  bool acquire(std::optional<double> seconds) {
    std::lock_guard guard(mutex_);
    if (!seconds) return ticket_.acquire(), true;
    auto wait = bounded_wait(std::chrono::duration<double>(*seconds));
    return ticket_.acquire_until(std::chrono::steady_clock::now() + wait);
  }
  /// Gives up the place, or the lock.
  void release() {
    std::lock_guard guard(mutex_);
    ticket_.release();
  }
  bool ready() const {
    std::lock_guard guard(mutex_);
    return ticket_.ready();
  }
  bool holds() const {
    std::lock_guard guard(mutex_);
    return ticket_.holds();
  }
  std::uint64_t fence() const {
    std::lock_guard guard(mutex_);
    return ticket_.fence();
  }

 private:
  mutable std::mutex mutex_;
  Ticket ticket_;
};

}  // namespace conch::python
