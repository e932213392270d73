// An epoll set with a bell in it.
//
// `wait` and `poke` may be called by any thread at any time, the rest under one lock. An
// event carries the serial number of what it is about, not a pointer: by the time it is looked at,
// another thread may have closed that. Events are level-triggered, so none is lost with a thread
// that saw it and did nothing.
//
// This is not Asio: a thread that waits for a lock is to do epoll_wait, read its token and go on,
// with nothing allocated, queued or handed to another thread in between.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "core/types.hpp"
#include "net/descriptor.hpp"
#include "wire/connection.hpp"

namespace conch::net {

using wire::Serial;

/// What `wait` has seen.
struct Readiness {
  std::array<epoll_event, 64> events;
  int count = 0;
};

class Poller {
 public:
  /// What the poller itself has in the set.
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
  /// The bell was heard.
  void silence();

 private:
  Descriptor epoll_;
  Descriptor bell_;
};

}  // namespace conch::net
