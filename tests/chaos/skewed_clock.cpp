#include "chaos/skewed_clock.hpp"

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <ctime>

namespace conch::chaos {

namespace {

std::atomic<const std::atomic<std::int64_t>*> followed = nullptr;

timespec shifted(timespec time) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::atomic<std::int64_t>* offset = followed;
  std::int64_t ns = time.tv_sec * second + time.tv_nsec + (offset ? offset->load() : 0);
  return {ns / second, ns % second};
}

}  // namespace

void follow_clock(const std::string& file) {
  followed = &**new ClockOffset(file);  // never freed: threads may read it until the end
}

}  // namespace conch::chaos

// These replace the functions of the C library for everything that is linked into this program. The
// standard library finds them only if the program exports them.
#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  long result = ::syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) *now = conch::chaos::shifted(*now);
  return static_cast<int>(result);
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec time{};
  int result = clock_gettime(CLOCK_REALTIME, &time);
  *now = {time.tv_sec, time.tv_nsec / 1000};
  return result;
}

time_t time(time_t* now) noexcept {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  if (now) *now = time.tv_sec;
  return time.tv_sec;
}
}
#pragma GCC visibility pop
