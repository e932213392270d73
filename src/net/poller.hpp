// An epoll set with a bell and an alarm clock in it.
//
// `wait` and `poke` may be called by any thread at any time, the rest under the courier's lock. An
// event carries the serial number of what it is about, not a pointer: by the time it is looked at,
// another thread may have closed that. Events are level-triggered, so none is lost with a thread
// that saw it and did nothing.
//
// This is not Asio: a thread that waits for a lock is to do epoll_wait, read its token and go on,
// with nothing allocated, queued or handed to another thread in between.
#pragma once

#include <cstdint>

#include "net/courier.hpp"
#include "net/descriptor.hpp"

namespace conch::net {

using wire::Serial;

class Poller {
 public:
  // What the poller itself has in the set.
  static constexpr Serial bell = 0;
  static constexpr Serial clock = 1;
  static constexpr Serial first_free = 2;

  /// Throws conch::Error.
  Poller();

  void add(int descriptor, Serial serial, std::uint32_t events);
  void change(int descriptor, Serial serial, std::uint32_t events);
  void remove(int descriptor);

  int descriptor() const { return epoll_.number(); }
  Readiness wait(Time until) const;
  void poke() const;
  /// Somebody's `wait` ends at this time, or at an earlier one that was asked for.
  void ring_by(Time time);
  /// The bell or the clock was heard.
  void silence(Serial serial);

 private:
  Descriptor epoll_;
  Descriptor bell_;
  Descriptor clock_;
  Time rings_ = Time::max();
};

}  // namespace conch::net
