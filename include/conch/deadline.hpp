// How long a call waits: until a point in time of any clock, or for a duration from now.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <ratio>
#include <type_traits>

namespace conch {

/// The longest wait, 146 years. Anything longer counts as for ever.
inline constexpr std::chrono::nanoseconds longest_wait{std::chrono::nanoseconds::rep{1} << 62};

/// Rounds up to nanoseconds. Returns zero if the wait is zero, negative or NaN, and `longest_wait`
/// if it is that long or longer. No duration overflows.
template <class Rep, class Period>
std::chrono::nanoseconds bounded_wait(const std::chrono::duration<Rep, Period>& wait) {
  using Nanoseconds = std::chrono::duration<long double, std::nano>;
  long double count = std::ceil(Nanoseconds(wait).count());
  if (!(count > 0)) return std::chrono::nanoseconds::zero();
  if (count >= static_cast<long double>(longest_wait.count())) return longest_wait;
  return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(count));
}

/// The time left until the deadline. Computes in long double, as the difference of two time points
/// may not fit into their own type.
template <class Clock, class Duration, class Now>
std::chrono::nanoseconds time_left(const std::chrono::time_point<Clock, Duration>& deadline,
                                   const std::chrono::time_point<Clock, Now>& now) {
  using Nanoseconds = std::chrono::duration<long double, std::nano>;
  return bounded_wait(Nanoseconds(deadline.time_since_epoch()) -
                      Nanoseconds(now.time_since_epoch()));
}

class Deadline {
 public:
  /// A deadline that never comes.
  Deadline() = default;

  template <class Clock, class Duration>
  static Deadline at(const std::chrono::time_point<Clock, Duration>& time) {
    Deadline deadline;
    deadline.left_ = [time] {
      std::chrono::nanoseconds left = time_left(time, Clock::now());
      constexpr bool is_steady = std::is_same_v<Clock, std::chrono::steady_clock>;
      bool may_change = !is_steady && left < longest_wait;
      return may_change ? std::min(left, look_again) : left;
    };
    return deadline;
  }
  template <class Rep, class Period>
  static Deadline after(const std::chrono::duration<Rep, Period>& wait) {
    std::chrono::nanoseconds bounded = bounded_wait(wait);
    if (bounded == longest_wait) return {};
    return at(std::chrono::steady_clock::now() + bounded);
  }

  /// How long to wait before asking again; zero if the time has come. Reads the clock, which may
  /// throw.
  std::chrono::nanoseconds left() const { return left_ ? left_() : longest_wait; }
  bool has_come() const { return left() == std::chrono::nanoseconds::zero(); }
  bool is_never() const { return !left_; }

 private:
  /// Clocks other than the steady one may be set or run at any rate without notice, so they are
  /// read this often.
  static constexpr std::chrono::nanoseconds look_again = std::chrono::milliseconds(100);

  std::function<std::chrono::nanoseconds()> left_;
};

}  // namespace conch
