// Broadcasts server-sent events (https://html.spec.whatwg.org, 9.2) to all connected listeners.
//
// All listeners share one bounded buffer, in which each has a position. Publishing never waits: a
// listener that is so slow that its position is overwritten gets a `gap` event. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "net/descriptor.hpp"

namespace conch::http {

class Broadcast {
 public:
  explicit Broadcast(std::size_t kept_bytes_max = std::size_t{1} << 20);

  // For publishers. `data` is one line.

  void publish(std::string_view event, std::string_view data);
  /// Like `publish`, but listeners that join later get it first. A later announcement of the same
  /// name replaces it.
  void announce(std::string_view event, std::string_view data);
  /// Forgets all announced events.
  void retract();
  /// Waits until there is a listener; false when it is closed.
  bool await_listener();
  std::size_t listeners() const;
  /// Waits this long, or until it is closed; returns whether it is.
  bool await_close(std::chrono::nanoseconds patience);
  /// Wakes all threads that wait.
  void close();

  // For the one thread that serves the listeners.

  /// The position of one listener.
  struct Cursor {
    std::uint64_t next = 0;
    bool greeted = false;
  };
  Cursor join();
  void leave();
  /// Appends the next events for this listener: whole events, until `out` has about `bytes` bytes.
  void take(Cursor& place, std::string& out, std::size_t bytes);
  bool has_news(const Cursor& place) const;
  /// Becomes readable when something was published.
  int bell() const { return bell_.number(); }
  void silence() const;

 private:
  void keep(std::string text);

  const std::size_t kept_bytes_max_;
  net::Descriptor bell_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t listeners_ = 0;
  bool closed_ = false;
  /// The events from `first_` on.
  std::deque<std::string> kept_;
  std::uint64_t first_ = 0;
  std::size_t kept_bytes_ = 0;
  std::map<std::string, std::string, std::less<>> announced_;
};

}  // namespace conch::http
