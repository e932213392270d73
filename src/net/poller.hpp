// An epoll set with an eventfd (the bell) that wakes its waiters.
//
// Any thread may call `wait` and `poke` at any time; the caller guards the rest with one mutex. An
// event carries the serial number of its connection, not a pointer, as another thread may have
// closed that before the event is handled. Events are level-triggered, so an event is not lost if
// the thread that saw it does nothing.
//
// Not Asio: a thread that waits for a lock calls epoll_wait, reads its token and goes on, without
// allocation, queues or a switch to another thread in between.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "core/types.hpp"
#include "net/descriptor.hpp"
#include "wire/connection.hpp"

namespace conch::net {

using wire::Serial;

/// The events that `wait` returned.
struct Readiness {
  std::array<epoll_event, 64> events;
  int count = 0;
};

class Poller {
 public:
  /// The serial number of the bell, which the poller itself adds to the set.
  static constexpr Serial bell = 0;
  static constexpr Serial first_free = 1;

  /// Throws conch::Error.
  Poller();

  void add(int descriptor, Serial serial, std::uint32_t events);
  void change(int descriptor, Serial serial, std::uint32_t events);
  void remove(int descriptor);

  int descriptor() const { return epoll_.number(); }
  Readiness wait(Time until) const;
  void poke() const;
  /// Resets the bell after its event.
  void silence();

 private:
  Descriptor epoll_;
  Descriptor bell_;
};

}  // namespace conch::net
