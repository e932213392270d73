// Tests the requirements of the standard library on mutexes, one by one: BasicLockable, Lockable,
// TimedLockable, SharedLockable, SharedTimedLockable, and what std::timed_mutex and
// std::shared_timed_mutex promise beyond them. Every test runs with one peer for all threads and
// with one peer for each.
//
// No test expects speed: the clock only shows that nothing happens too early, and whatever must
// happen has a minute.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <conch/shared_mutex.hpp>
#include <future>
#include <latch>
#include <limits>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "requirements.hpp"

namespace conch::mutex_requirements_test {

using namespace std::chrono_literals;
using namespace conch::requirements;
using std::chrono::steady_clock;
using std::chrono::system_clock;

static_assert(TimedLockable<Mutex>);
static_assert(SharedTimedLockable<SharedMutex>);
static_assert(IsFixed<Mutex> && IsFixed<SharedMutex>);

template <class Arrangement>
class AnyMutex : public Arranged<Arrangement> {};
using Arrangements = ::testing::Types<OnePeer<Mutex>, OnePeerEach<Mutex>, OnePeer<SharedMutex>,
                                      OnePeerEach<SharedMutex>>;
TYPED_TEST_SUITE(AnyMutex, Arrangements);

// BasicLockable.

TYPED_TEST(AnyMutex, LockReturnsWithTheLock) {
  auto& mutex = this->at(0);
  mutex.lock();
  EXPECT_TRUE(mutex.holds());
  mutex.unlock();
  EXPECT_FALSE(mutex.holds());
}

TYPED_TEST(AnyMutex, LockWaitsUntilTheHolderHasUnlocked) {
  Holder holder(this->at(0));
  std::atomic<bool> unlocked = false;
  std::thread waiter([&] {
    this->at(1).lock();
    EXPECT_TRUE(unlocked);
    this->at(1).unlock();
  });
  std::this_thread::sleep_for(20ms);  // time to go wrong
  unlocked = true;
  holder.let_go();
  waiter.join();
}

TYPED_TEST(AnyMutex, UnlockLetsTheNextOneIn) {
  for (std::size_t i = 0; i < 6; ++i) {
    auto& mutex = this->at(i % 3);
    mutex.lock();
    mutex.unlock();
  }
}

TYPED_TEST(AnyMutex, ALockThatThrowsHasNotLocked) {
  auto& mutex = this->at(0);
  mutex.lock();
  EXPECT_EQ(code_of([&] { mutex.lock(); }), ErrorCode::deadlock);
  mutex.unlock();
  EXPECT_EQ(code_of([&] { mutex.unlock(); }), ErrorCode::misuse) << "it was locked once";
  in_another_thread([&] { std::scoped_lock guard(this->at(1)); });
}

TYPED_TEST(AnyMutex, UnlockByAnotherThreadIsAnErrorAndUnlocksNothing) {
  Holder holder(this->at(0));
  EXPECT_EQ(code_of([&] { this->at(0).unlock(); }), ErrorCode::misuse);
  EXPECT_FALSE(this->at(1).try_lock());
}

TYPED_TEST(AnyMutex, OneIsInsideAndSeesWhatTheOneBeforeDid) {
  constexpr int threads = 4, entries = 100;
  int inside = 0, count = 0;  // no atomics: the lock orders all accesses
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i)
    running.emplace_back([&, &mutex = this->at(i)] {
      for (int entry = 0; entry < entries; ++entry) {
        std::scoped_lock guard(mutex);
        EXPECT_EQ(++inside, 1);
        ++count;
        --inside;
      }
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(count, threads * entries);
}

// Lockable.

TYPED_TEST(AnyMutex, TryLockOfWhatAnotherHasIsFalse) {
  Holder holder(this->at(0));
  EXPECT_FALSE(this->at(1).try_lock());
  EXPECT_FALSE(this->at(1).holds());
}

TYPED_TEST(AnyMutex, TryLockOfWhatNobodyHasObtainsIt) {
  for (std::size_t i = 0; i < 4; ++i) {
    auto& mutex = this->at(i % 2);
    EXPECT_TRUE(obtained([&] { return mutex.try_lock(); }));
    EXPECT_TRUE(mutex.holds());
    mutex.unlock();
  }
}

TYPED_TEST(AnyMutex, ATryThatFailsLeavesNothingBehind) {
  {
    Holder holder(this->at(0));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(this->at(1).try_lock());
  }
  in_another_thread([&] { std::scoped_lock guard(this->at(2)); });
}

TYPED_TEST(AnyMutex, SeveralAreLockedTogetherInAnyOrder) {
  auto& one = this->at(0);
  auto& other = this->another();
  for (int i = 0; i < 5; ++i) {
    std::scoped_lock forth(one, other);
    EXPECT_TRUE(one.holds() && other.holds());
  }
  std::scoped_lock back(other, one);
  EXPECT_TRUE(one.holds() && other.holds());
}

// TimedLockable.

TYPED_TEST(AnyMutex, TryLockForObtainsWhatNobodyHas) {
  auto& mutex = this->at(0);
  ASSERT_TRUE(mutex.try_lock_for(1min));
  EXPECT_TRUE(mutex.holds());
  mutex.unlock();
  ASSERT_TRUE(mutex.try_lock_until(steady_clock::now() + 1min));
  mutex.unlock();
  ASSERT_TRUE(mutex.try_lock_until(system_clock::now() + 1min));
  mutex.unlock();
}

TYPED_TEST(AnyMutex, TryLockForIsNotFalseBeforeItsTimeIsOver) {
  Holder holder(this->at(0));
  auto& mutex = this->at(1);
  auto began = steady_clock::now();
  EXPECT_FALSE(mutex.try_lock_for(30ms));
  EXPECT_GE(steady_clock::now() - began, 30ms);
  began = steady_clock::now();
  EXPECT_FALSE(mutex.try_lock_for(std::chrono::duration<double, std::milli>(10.5)));
  EXPECT_GE(steady_clock::now() - began, 10500us);
}

TYPED_TEST(AnyMutex, TryLockUntilIsNotFalseBeforeItsTimeHasCome) {
  Holder holder(this->at(0));
  auto& mutex = this->at(1);
  auto steady = steady_clock::now() + 30ms;
  EXPECT_FALSE(mutex.try_lock_until(steady));
  EXPECT_GE(steady_clock::now(), steady);
  auto wall = std::chrono::ceil<std::chrono::milliseconds>(system_clock::now() + 30ms);
  EXPECT_FALSE(mutex.try_lock_until(wall));
  EXPECT_GE(system_clock::now(), wall);
}

TYPED_TEST(AnyMutex, ATimedTryObtainsWhatIsUnlockedInTime) {
  Holder holder(this->at(0));
  std::atomic<bool> unlocked = false;
  std::thread waiter([&] {
    EXPECT_TRUE(this->at(1).try_lock_for(1min));
    EXPECT_TRUE(unlocked);
    this->at(1).unlock();
  });
  std::this_thread::sleep_for(5ms);
  unlocked = true;
  holder.let_go();
  waiter.join();
}

TYPED_TEST(AnyMutex, WithNoTimeLeftItIsATry) {
  auto& mutex = this->at(1);
  constexpr auto nothing = std::numeric_limits<double>::quiet_NaN();
  auto tries = [&](int i) {
    switch (i) {
      case 0: return mutex.try_lock_for(0s);
      case 1: return mutex.try_lock_for(-1h);
      case 2: return mutex.try_lock_for(std::chrono::hours::min());
      case 3: return mutex.try_lock_for(std::chrono::duration<double>(nothing));
      case 4: return mutex.try_lock_until(steady_clock::now());
      case 5: return mutex.try_lock_until(steady_clock::time_point::min());
      default: return mutex.try_lock_until(system_clock::time_point::min());
    }
  };
  {
    Holder holder(this->at(0));
    for (int i = 0; i <= 6; ++i) EXPECT_FALSE(tries(i)) << i;
  }
  for (int i = 0; i <= 6; ++i) {
    EXPECT_TRUE(obtained([&] { return tries(i); })) << i;
    mutex.unlock();
    std::scoped_lock elsewhere(this->at(0));
  }
}

TYPED_TEST(AnyMutex, TheLongestTimesAreWaitedFor) {
  auto& mutex = this->at(1);
  auto waits = [&](int i) {
    switch (i) {
      case 0: return mutex.try_lock_for(std::chrono::hours::max());
      case 1: return mutex.try_lock_for(std::chrono::nanoseconds::max());
      case 2: return mutex.try_lock_for(std::chrono::duration<float>::max());
      case 3: return mutex.try_lock_until(steady_clock::time_point::max());
      case 4: return mutex.try_lock_until(system_clock::time_point::max());
      default: return mutex.try_lock_until(std::chrono::sys_time<std::chrono::hours>::max());
    }
  };
  for (int i = 0; i <= 5; ++i) {
    Holder holder(this->at(0));
    std::atomic<bool> unlocked = false;
    std::thread waiter([&] {
      EXPECT_TRUE(waits(i)) << i;
      EXPECT_TRUE(unlocked) << i;
      mutex.unlock();
    });
    std::this_thread::sleep_for(5ms);
    unlocked = true;
    holder.let_go();
    waiter.join();
  }
}

TYPED_TEST(AnyMutex, TheTimeOfASlowClockIsWaitedFor) {
  Holder holder(this->at(0));
  auto deadline = SlowClock::now() + 20ms;
  EXPECT_FALSE(this->at(1).try_lock_until(deadline));
  EXPECT_GE(SlowClock::now(), deadline);
}

TYPED_TEST(AnyMutex, ATimeThatComesEarlyIsNoticed) {
  Holder holder(this->at(0));
  EXPECT_FALSE(this->at(1).try_lock_until(FastClock::now() + 24h));
}

TYPED_TEST(AnyMutex, WhatAClockThrowsIsPassedOnAndNothingIsLocked) {
  {
    Holder holder(this->at(0));
    BrokenClock::reads_left = 2;
    EXPECT_THROW(this->at(1).try_lock_until(BrokenClock::time_point(1h)), ClockFailure);
  }
  in_another_thread([&] { std::scoped_lock guard(this->at(1)); });
}

TYPED_TEST(AnyMutex, AUniqueLockOwnsWhatItWasPromised) {
  auto& mutex = this->at(0);
  using Lock = std::unique_lock<std::remove_reference_t<decltype(mutex)>>;
  EXPECT_TRUE(Lock(mutex).owns_lock());
  EXPECT_TRUE(Lock(mutex, 1min).owns_lock());
  EXPECT_TRUE(Lock(mutex, system_clock::now() + 1min).owns_lock());
  Holder holder(this->at(1));
  EXPECT_FALSE(Lock(mutex, std::defer_lock).owns_lock());
  EXPECT_FALSE(Lock(mutex, std::try_to_lock).owns_lock());
  EXPECT_FALSE(Lock(mutex, 1ms).owns_lock());
  EXPECT_FALSE(Lock(mutex, steady_clock::now() + 1ms).owns_lock());
}

// SharedLockable and SharedTimedLockable.

template <class Arrangement>
class Shared : public Arranged<Arrangement> {};
TYPED_TEST_SUITE(Shared, SharedArrangements);

TYPED_TEST(Shared, ReadersAreInsideTogether) {
  std::latch all(3);
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < 3; ++i)
    readers.emplace_back([&, &mutex = this->at(i)] {
      mutex.lock_shared();
      all.arrive_and_wait();  // waits for ever unless all readers are inside together
      mutex.unlock_shared();
    });
  for (std::thread& reader : readers) reader.join();
}

TYPED_TEST(Shared, AReaderWaitsForTheWriter) {
  Holder writer(this->at(0));
  std::atomic<bool> unlocked = false;
  std::thread reader([&] {
    std::shared_lock guard(this->at(1));
    EXPECT_TRUE(unlocked);
  });
  std::this_thread::sleep_for(20ms);
  unlocked = true;
  writer.let_go();
  reader.join();
}

TYPED_TEST(Shared, AWriterWaitsForAllReaders) {
  Reader first(this->at(0)), second(this->at(1));
  std::atomic<bool> unlocked = false;
  std::thread writer([&] {
    std::unique_lock guard(this->at(2));
    EXPECT_TRUE(unlocked);
  });
  std::this_thread::sleep_for(5ms);
  first.let_go();
  std::this_thread::sleep_for(20ms);
  unlocked = true;
  second.let_go();
  writer.join();
}

TYPED_TEST(Shared, ATryToReadWhatIsWrittenIsFalse) {
  Holder writer(this->at(0));
  EXPECT_FALSE(this->at(1).try_lock_shared());
  EXPECT_FALSE(this->at(1).try_lock_shared_for(0s));
  EXPECT_FALSE(this->at(1).try_lock_shared_until(system_clock::time_point::min()));
}

TYPED_TEST(Shared, ATryToWriteWhatIsReadIsFalse) {
  Reader reader(this->at(0));
  EXPECT_FALSE(this->at(1).try_lock());
  EXPECT_FALSE(this->at(1).try_lock_for(1ms));
}

TYPED_TEST(Shared, ATryToReadWhatIsReadObtainsIt) {
  Reader reader(this->at(0));
  auto& mutex = this->at(1);
  EXPECT_TRUE(obtained([&] { return mutex.try_lock_shared(); }));
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.try_lock_shared_for(std::chrono::minutes::max()));
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.try_lock_shared_until(steady_clock::time_point::max()));
  mutex.unlock_shared();
}

TYPED_TEST(Shared, ATimedTryToReadIsNotFalseBeforeItsTimeHasCome) {
  Holder writer(this->at(0));
  auto& mutex = this->at(1);
  auto began = steady_clock::now();
  EXPECT_FALSE(mutex.try_lock_shared_for(20ms));
  EXPECT_GE(steady_clock::now() - began, 20ms);
  auto wall = system_clock::now() + 20ms;
  EXPECT_FALSE(mutex.try_lock_shared_until(wall));
  EXPECT_GE(system_clock::now(), wall);
  auto slow = SlowClock::now() + 10ms;
  EXPECT_FALSE(mutex.try_lock_shared_until(slow));
  EXPECT_GE(SlowClock::now(), slow);
}

TYPED_TEST(Shared, ASharedLockOwnsWhatItWasPromised) {
  auto& mutex = this->at(0);
  using Lock = std::shared_lock<SharedMutex>;
  EXPECT_TRUE(Lock(mutex).owns_lock());
  EXPECT_TRUE(Lock(mutex, 1min).owns_lock());
  EXPECT_TRUE(Lock(mutex, system_clock::now() + 1min).owns_lock());
  Holder writer(this->at(1));
  EXPECT_FALSE(Lock(mutex, std::defer_lock).owns_lock());
  EXPECT_FALSE(Lock(mutex, std::try_to_lock).owns_lock());
  EXPECT_FALSE(Lock(mutex, 1ms).owns_lock());
}

}  // namespace conch::mutex_requirements_test
