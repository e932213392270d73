#include "peer/fork.hpp"

#include <pthread.h>

#include <conch/error.hpp>
#include <mutex>
#include <utility>

namespace conch::peer {

namespace {

void watch_forks() {
  auto count = [] { detail::forks.fetch_add(1, std::memory_order_relaxed); };
  if (::pthread_atfork(nullptr, nullptr, count) != 0)
    throw Error(ErrorCode::exhausted, "out of memory: cannot watch for forks");
}

struct Abandoned {
  std::shared_ptr<void> object;
  Abandoned* next = nullptr;
};
/// Keeps abandoned objects reachable, so that leak checkers do not complain.
std::atomic<Abandoned*> newest_abandoned = nullptr;

}  // namespace

Origin::Origin() {
  static std::once_flag once;
  std::call_once(once, watch_forks);
  made_ = detail::forks.load(std::memory_order_relaxed);
}

void abandon(std::shared_ptr<void> object) {
  auto* last = new Abandoned{std::move(object)};
  last->next = newest_abandoned.exchange(last);
}

}  // namespace conch::peer
