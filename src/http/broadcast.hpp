// Events for whoever listens, as server-sent events (https://html.spec.whatwg.org, 9.2).
//
// One bounded store for all listeners, each of which has a place in it. Who publishes waits for
// nobody: a listener that is so slow that its place is overwritten is told of a `gap`.
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

  // Who publishes. The data are one line.

  void publish(std::string_view event, std::string_view data);
  /// As `publish`; and who comes later begins with it, unless another of the same name follows.
  void announce(std::string_view event, std::string_view data);
  /// What was announced holds no longer.
  void retract();
  /// Until somebody listens; false when it is closed.
  bool await_listener();
  std::size_t listeners() const;
  /// For so long, or until it is closed; whether it is.
  bool await_close(std::chrono::nanoseconds patience);
  /// Nobody need wait any more.
  void close();

  // Who serves listeners: one thread.

  /// Where a listener is.
  struct Place {
    std::uint64_t next = 0;
    bool greeted = false;
  };
  Place join();
  void leave();
  /// What comes next for it, appended: whole events, about so many bytes at most.
  void take(Place& place, std::string& out, std::size_t bytes);
  bool has_news(const Place& place) const;
  /// Readable when something was published.
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
  /// Events from `first_` on.
  std::deque<std::string> kept_;
  std::uint64_t first_ = 0;
  std::size_t kept_bytes_ = 0;
  std::map<std::string, std::string, std::less<>> announced_;
};

}  // namespace conch::http
