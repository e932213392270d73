// Fixtures of the tests of the mutexes' requirements: which threads share a peer, a thread that
// holds a lock, and clocks that are wrong.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <conch/shared_mutex.hpp>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <ratio>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "peer/testing/scratch_group.hpp"

namespace conch::requirements {

template <class M>
concept TimedLockable = requires(M mutex, std::chrono::duration<float> duration,
                                 std::chrono::sys_time<std::chrono::days> time) {
  mutex.lock();
  mutex.unlock();
  { mutex.try_lock() } -> std::same_as<bool>;
  { mutex.try_lock_for(duration) } -> std::same_as<bool>;
  { mutex.try_lock_until(time) } -> std::same_as<bool>;
};

template <class M>
concept SharedTimedLockable = TimedLockable<M> &&
    requires(M mutex, std::chrono::duration<float> duration,
             std::chrono::sys_time<std::chrono::days> time) {
  mutex.lock_shared();
  mutex.unlock_shared();
  { mutex.try_lock_shared() } -> std::same_as<bool>;
  { mutex.try_lock_shared_for(duration) } -> std::same_as<bool>;
  { mutex.try_lock_shared_until(time) } -> std::same_as<bool>;
};

template <class M>
concept IsFixed = !std::is_copy_constructible_v<M> && !std::is_copy_assignable_v<M> &&
                  !std::is_move_constructible_v<M> && !std::is_move_assignable_v<M>;

/// The mutex, and whether threads share one peer or have one each.
template <class M, bool each>
struct Arrangement {
  using Mutex = M;
  static constexpr bool has_one_each = each;
};
template <class M>
using OnePeer = Arrangement<M, false>;
template <class M>
using OnePeerEach = Arrangement<M, true>;
using SharedArrangements = ::testing::Types<OnePeer<SharedMutex>, OnePeerEach<SharedMutex>>;

template <class Arrangement>
class Arranged : public ::testing::Test {
 protected:
  using M = typename Arrangement::Mutex;
  static constexpr std::size_t threads_max = 4;

  Arranged() {
    std::size_t peers = Arrangement::has_one_each ? threads_max : 1;
    for (std::size_t i = 0; i < peers; ++i) {
      peers_.push_back(std::make_unique<Peer>(options()));
      mutexes_.push_back(std::make_unique<M>(*peers_.back(), "mutex"));
    }
  }

  /// The mutex of this thread.
  M& at(std::size_t thread) { return *mutexes_[thread % mutexes_.size()]; }
  /// A mutex of a second lock.
  M& another() {
    another_ = std::make_unique<M>(*peers_.back(), "another");
    return *another_;
  }

 private:
  PeerOptions options() {
    PeerOptions options = group_.options();
    options.lease = std::chrono::minutes(5);  // no lock is lost on a busy machine
    if (std::is_same_v<M, SharedMutex>) options.algorithm = "elmp";
    return options;
  }

  peer::ScratchGroup group_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<std::unique_ptr<M>> mutexes_;
  std::unique_ptr<M> another_;
};

/// A thread that takes the lock at once and keeps it until it is told to release.
class Keeping {
 public:
  template <class Lock, class Unlock>
  Keeping(Lock lock, Unlock unlock) {
    std::promise<void> has_it;
    std::future<void> kept = has_it.get_future();
    thread_ = std::thread([this, lock, unlock, &has_it] {
      lock();
      has_it.set_value();
      told_.get_future().wait();
      unlock();
    });
    kept.wait();
  }
  ~Keeping() {
    if (thread_.joinable()) let_go();
  }
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;

  void let_go() {
    told_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> told_;
  std::thread thread_;
};

struct Holder : Keeping {
  template <class M>
  explicit Holder(M& mutex) : Keeping([&mutex] { mutex.lock(); }, [&mutex] { mutex.unlock(); }) {}
};
struct Reader : Keeping {
  explicit Reader(SharedMutex& mutex)
      : Keeping([&mutex] { mutex.lock_shared(); }, [&mutex] { mutex.unlock_shared(); }) {}
};

/// Tries until it succeeds, for a minute at most: a lock that is free may take a moment to arrive.
template <class Try>
bool obtained(const Try& try_once) {
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end)
    if (try_once()) return true;
  return false;
}

template <class Work>
void in_another_thread(const Work& work) {
  std::thread(work).join();
}

template <class Call>
ErrorCode code_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::unavailable;
}

/// A clock that runs `Speed` times as fast as the steady clock.
template <class Speed>
struct SpeedClock {
  using rep = std::int64_t;
  using period = std::milli;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<SpeedClock>;
  static constexpr bool is_steady = true;

  static time_point now() {
    std::chrono::duration<long double, std::milli> true_time =
        std::chrono::steady_clock::now().time_since_epoch();
    return time_point(duration(static_cast<rep>(true_time.count() * Speed::num / Speed::den)));
  }
};
using SlowClock = SpeedClock<std::ratio<1, 5>>;
/// A day of this clock takes less than a tenth of a second.
using FastClock = SpeedClock<std::ratio<1'000'000>>;

struct ClockFailure {};
/// A clock that stands still, and then throws.
struct BrokenClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<BrokenClock>;
  static constexpr bool is_steady = false;

  static inline int reads_left = 0;
  static time_point now() {
    if (reads_left-- == 0) throw ClockFailure();
    return time_point();
  }
};

}  // namespace conch::requirements
