#include "peer/driver.hpp"

#include <gtest/gtest.h>

#include <latch>

namespace conch::peer {
namespace {

struct Nothing final : Driven {
  void work(const net::Readiness&) override {}
  Time wakes() const override { return Time::max(); }
};

/// A callback for a lock that was lost when the peer left must run even if the peer stops at once.
TEST(Driver, MakesTheCallsThatAreDueBeforeItStops) {
  std::mutex mutex;
  Nothing nothing;
  net::Sockets sockets({});
  Driver driver(mutex, nothing);
  driver.start(sockets);

  std::latch is_busy(1);
  std::latch may_go_on(1);
  bool is_told = false;
  auto call_later = [&](std::function<void()> callback) {
    std::lock_guard guard(mutex);
    driver.call_later(std::move(callback));
  };
  call_later([&] {
    is_busy.count_down();
    may_go_on.wait();
  });
  is_busy.wait();
  call_later([&] { is_told = true; });
  std::thread stopper([&] { driver.stop(); });
  auto is_stopping = [&] {
    std::lock_guard guard(mutex);
    return driver.is_stopping();
  };
  while (!is_stopping()) std::this_thread::yield();
  may_go_on.count_down();
  stopper.join();
  EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace conch::peer
