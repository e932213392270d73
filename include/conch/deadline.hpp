// Until when a call waits: a time of any clock, or so long from now.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <ratio>
#include <type_traits>

namespace conch {

/// Whatever is longer is not waited for: 146 years.
inline constexpr std::chrono::nanoseconds longest_wait{std::chrono::nanoseconds::rep{1} << 62};

/// In nanoseconds, rounded up. Zero if it is nothing, negative or not a number; `longest_wait` if
/// it is longer: then it is meant for ever. No duration overflows.
template <class Rep, class Period>
std::chrono::nanoseconds bounded_wait(const std::chrono::duration<Rep, Period>& wait) {
  using Nanoseconds = std::chrono::duration<long double, std::nano>;
  long double count = std::ceil(Nanoseconds(wait).count());
  if (!(count > 0)) return std::chrono::nanoseconds::zero();
  if (count >= static_cast<long double>(longest_wait.count())) return longest_wait;
  return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(count));
}

/// What is left at `now`. The difference of two times may be more than their type can say.
template <class Clock, class Duration, class Now>
std::chrono::nanoseconds time_left(const std::chrono::time_point<Clock, Duration>& deadline,
                                   const std::chrono::time_point<Clock, Now>& now) {
  using Nanoseconds = std::chrono::duration<long double, std::nano>;
  return bounded_wait(Nanoseconds(deadline.time_since_epoch()) -
                      Nanoseconds(now.time_since_epoch()));
}

class Deadline {
 public:
  /// It never comes.
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

  /// How long to wait before this is asked again; zero if the time has come. Asks the clock, which
  /// may throw.
  std::chrono::nanoseconds left() const { return left_ ? left_() : longest_wait; }
  bool has_come() const { return left() == std::chrono::nanoseconds::zero(); }
  bool is_never() const { return !left_; }

 private:
  /// Nobody tells when another clock than the steady one is set, or how fast it is.
  static constexpr std::chrono::nanoseconds look_again = std::chrono::milliseconds(100);

  std::function<std::chrono::nanoseconds()> left_;
};

}  // namespace conch
