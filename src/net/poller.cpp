#include "net/poller.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <conch/error.hpp>
#include <cstring>
#include <string>

#include "net/clock.hpp"

namespace conch::net {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::exhausted, "cannot " + what + ": " + std::strerror(errno));
}

timespec timespec_of(Duration duration) {
  Duration::rep count = std::max<Duration::rep>(duration.count(), 0);
  return {count / 1'000'000'000, count % 1'000'000'000};
}

epoll_event event_of(Serial serial, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = serial;
  return event;
}

/// Kernels before 5.11 have no epoll_pwait2, and count in milliseconds.
int wait_for_milliseconds(int epoll, epoll_event* events, int count, Duration duration) {
  auto whole = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return ::epoll_wait(epoll, events, count, static_cast<int>(std::min<long>(whole, INT_MAX)));
}

int wait_for(int epoll, epoll_event* events, int count, Time until) {
  static std::atomic<bool> has_nanoseconds = true;
  if (until == Time::max()) return ::epoll_wait(epoll, events, count, -1);
  Time now = steady_now();
  Duration left = until > now ? until - now : Duration::zero();
  if (has_nanoseconds.load(std::memory_order_relaxed)) {
    timespec timeout = timespec_of(left);
    int found = ::epoll_pwait2(epoll, events, count, &timeout, nullptr);
    if (found >= 0 || errno != ENOSYS) return found;
    has_nanoseconds = false;
  }
  return wait_for_milliseconds(epoll, events, count, left);
}

}  // namespace

Time steady_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

Poller::Poller()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!epoll_ || !bell_) fail("wait for events");
  add(bell_.number(), bell, EPOLLIN);
}

void Poller::add(int descriptor, Serial serial, std::uint32_t events) {
  epoll_event event = event_of(serial, events);
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    fail("wait for a socket");
}

void Poller::change(int descriptor, Serial serial, std::uint32_t events) {
  epoll_event event = event_of(serial, events);
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, descriptor, &event) != 0)
    fail("wait for a socket");
}

void Poller::remove(int descriptor) {
  // Closing the descriptor would not remove it if a forked child has it open.
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
}

Readiness Poller::wait(Time until) const {
  Readiness ready;
  int room = static_cast<int>(ready.events.size());
  int found = wait_for(epoll_.number(), ready.events.data(), room, until);
  ready.count = std::max(found, 0);
  return ready;
}

void Poller::poke() const {
  std::uint64_t one = 1;
  // This fails only if the counter is full, and then the eventfd is readable already.
  [[maybe_unused]] ssize_t written = ::write(bell_.number(), &one, sizeof one);
}

void Poller::silence() {
  std::uint64_t count = 0;
  [[maybe_unused]] ssize_t read = ::read(bell_.number(), &count, sizeof count);
}

}  // namespace conch::net
