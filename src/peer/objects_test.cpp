// How the public objects behave side by side, after their peer has gone, after a move, and in a
// forked child.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <conch/data.hpp>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <conch/shared_mutex.hpp>
#include <conch/ticket.hpp>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "peer/testing/scratch_group.hpp"

namespace conch::objects_test {

using namespace std::chrono_literals;

struct Caught {
  std::optional<ErrorCode> code;
  std::string what;
};

template <class Call>
Caught caught(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

class Objects : public ::testing::Test {
 protected:
  std::unique_ptr<Peer> join(const std::string& algorithm = "") {
    PeerOptions options = group_.options();
    options.algorithm = algorithm;
    return std::make_unique<Peer>(options);
  }
  Caught refusal(const std::function<void(PeerOptions&)>& change) {
    PeerOptions options = group_.options();
    change(options);
    return caught([&] { Peer peer(options); });
  }

  peer::ScratchGroup group_;
};

// Errors.

TEST_F(Objects, WhateverAPeerThrowsIsAnErrorWithACode) {
  using Options = PeerOptions;
  EXPECT_EQ(refusal([](Options& o) { o.etcd.endpoints = {"no url"}; }).code,
            ErrorCode::bad_argument);
  EXPECT_EQ(refusal([](Options& o) { o.algorithm = "paxos"; }).code, ErrorCode::bad_argument);
  EXPECT_EQ(refusal([](Options& o) { o.algorithm = "bully"; }).code, ErrorCode::bad_argument);
  EXPECT_EQ(refusal([](Options& o) { o.lease = 0ms; }).code, ErrorCode::bad_argument);
  EXPECT_EQ(refusal([](Options& o) { o.group = "../up"; }).code, ErrorCode::bad_argument);
  EXPECT_EQ(refusal([](Options& o) { o.listen = {"nowhere"}; }).code, ErrorCode::bad_argument);
  EXPECT_EQ(refusal([](Options& o) { o.state_directory = "/proc/conch"; }).code,
            ErrorCode::misconfigured);
  EXPECT_EQ(refusal([](Options& o) { o.tls.key = "/none"; }).code, ErrorCode::misconfigured);
  EXPECT_EQ(refusal([](Options& o) { o.join = {"127.0.0.1:1"}; }).code, ErrorCode::unavailable);
}

TEST_F(Objects, ARegisterThatMakesNoSenseIsAnErrorWithACode) {
  join();
  std::ofstream(group_.folder() + "/state/test/chain") << "nonsense\n";
  Caught error = refusal([](PeerOptions&) {});
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.what.find("chain"), std::string::npos) << error.what;
}

TEST_F(Objects, WhoRunsSomethingElseThanTheGroupIsToldInWordsOfCpp) {
  auto peer = join("elmp");
  Caught error = refusal([](PeerOptions& options) { options.algorithm = "central"; });
  EXPECT_EQ(error.code, ErrorCode::misconfigured);
  EXPECT_NE(error.what.find("PeerOptions::algorithm elmp"), std::string::npos) << error.what;
  EXPECT_EQ(error.what.find("--"), std::string::npos) << error.what;
}

TEST_F(Objects, WhatTheAlgorithmCannotDoIsSaidInWordsOfCpp) {
  auto peer = join();
  for (const Caught& error : {caught([&] { SharedMutex mutex(*peer, "table"); }),
                              caught([&] { Ticket ticket(*peer, "table", Access::shared); })}) {
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_NE(error.what.find("PeerOptions::algorithm"), std::string::npos) << error.what;
  }
  EXPECT_EQ(caught([&] { Mutex mutex(*peer, ""); }).code, ErrorCode::bad_argument);
}

TEST_F(Objects, TheLongestPatienceIsNotNone) {
  PeerOptions options = group_.options();
  using Milliseconds = std::chrono::milliseconds;
  options.admission_patience = options.try_patience = Milliseconds::max();
  options.lease = Milliseconds::max();
  Peer peer(options);
  Mutex mutex(peer, "deploy");
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_TRUE(mutex.holds());
}

// Several objects for one lock.

TEST_F(Objects, AThreadThatLocksTwoObjectsOfOneLockIsTold) {
  auto peer = join("elmp");
  Mutex mutex(*peer, "deploy");
  Mutex same(*peer, "deploy");
  SharedMutex shared(*peer, "deploy");
  std::scoped_lock guard(mutex);
  EXPECT_EQ(caught([&] { same.lock(); }).code, ErrorCode::deadlock);
  EXPECT_EQ(caught([&] { (void)same.try_lock_for(1h); }).code, ErrorCode::deadlock);
  EXPECT_EQ(caught([&] { shared.lock_shared(); }).code, ErrorCode::deadlock);
  EXPECT_FALSE(same.try_lock());
  EXPECT_EQ(caught([&] { same.unlock(); }).code, ErrorCode::misuse);
  Mutex other(*peer, "other");
  std::scoped_lock fine(other);
}

TEST_F(Objects, AnotherThreadMayWaitForTheSecondObject) {
  auto peer = join();
  Mutex mutex(*peer, "deploy");
  Mutex same(*peer, "deploy");
  mutex.lock();
  std::thread other([&] { std::scoped_lock guard(same); });
  mutex.unlock();
  other.join();
}

// Objects that outlive their peer.

TEST_F(Objects, WhatOutlivesItsPeerThrows) {
  auto peer = join("elmp");
  Mutex mutex(*peer, "deploy");
  Mutex held(*peer, "held");
  SharedMutex shared(*peer, "table");
  Ticket ticket(*peer, "frame");
  Ticket waiting(*peer, "held");
  Data data(*peer, "block");
  Data locked(*peer, "locked");
  ASSERT_EQ(locked.request(), Outcome::ok);
  ASSERT_EQ(locked.acquire(), Outcome::ok);
  held.lock();
  waiting.request();
  peer.reset();
  EXPECT_EQ(caught([&] { mutex.lock(); }).code, ErrorCode::left);
  EXPECT_EQ(caught([&] { (void)mutex.try_lock(); }).code, ErrorCode::left);
  EXPECT_EQ(caught([&] { (void)mutex.try_lock_for(1h); }).code, ErrorCode::left);
  EXPECT_EQ(caught([&] { shared.lock_shared(); }).code, ErrorCode::left);
  EXPECT_EQ(caught([&] { ticket.request(); }).code, ErrorCode::left);
  EXPECT_EQ(caught([&] { waiting.acquire(); }).code, ErrorCode::left);
  EXPECT_EQ(caught([&] { (void)data.request(); }).code, ErrorCode::left);
  EXPECT_EQ(caught([&] { (void)data.try_acquire(); }).code, ErrorCode::left);
  EXPECT_FALSE(mutex.holds() || held.holds() || ticket.ready());
  held.unlock();
  EXPECT_EQ(locked.state(), HandleState::lost);
  EXPECT_EQ(locked.release(), Outcome::peer_lost);
  EXPECT_TRUE(locked.bytes().empty());
  EXPECT_EQ(data.release(), Outcome::ignored);
}

TEST_F(Objects, AMutexOfAGoneGroupGoesQuietlyWhileOthersGoOn) {
  auto stays = join();
  auto goes = join();
  auto mutex = std::make_unique<Mutex>(*goes, "deploy");
  mutex->lock();
  goes.reset();
  Mutex other(*stays, "deploy");
  EXPECT_TRUE(other.try_lock_for(1min));
  mutex.reset();
  EXPECT_TRUE(other.holds());
}

// Moved-from objects.

TEST_F(Objects, WhatWasMovedFromThrows) {
  auto peer = join();
  Ticket ticket(*peer, "frame");
  ticket.request();
  Ticket moved(std::move(ticket));
  EXPECT_EQ(caught([&] { ticket.request(); }).code, ErrorCode::misuse);
  EXPECT_EQ(caught([&] { ticket.acquire(); }).code, ErrorCode::misuse);
  EXPECT_EQ(caught([&] { (void)ticket.ready(); }).code, ErrorCode::misuse);
  EXPECT_EQ(caught([&] { ticket.on_lost({}); }).code, ErrorCode::misuse);
  moved.acquire();
  EXPECT_TRUE(moved.holds());

  Ticket other(*peer, "other");
  other.request();
  moved = std::move(other);
  EXPECT_EQ(caught([&] { (void)other.holds(); }).code, ErrorCode::misuse);
  Mutex frame(*peer, "frame");
  EXPECT_TRUE(frame.try_lock_for(1min)) << "what it had before was given up";
  moved.acquire();

  Data data(*peer, "block");
  Data taken(std::move(data));
  EXPECT_EQ(caught([&] { (void)data.state(); }).code, ErrorCode::misuse);
  EXPECT_EQ(taken.state(), HandleState::valid);
}

// Objects in a forked child.

/// Runs `call` in a child and returns its result; nothing if the child does not exit by itself.
template <class Call>
std::optional<int> in_child(const Call& call) {
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(9);  // Sooner than a peer that cannot leave would give up.
    ::_exit(call());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

TEST_F(Objects, InAForkedChildEveryCallThrows) {
  auto peer = join("elmp");
  Mutex mutex(*peer, "deploy");
  SharedMutex shared(*peer, "table");
  Ticket ticket(*peer, "frame");
  Data data(*peer, "block");
  mutex.lock();
  shared.lock_shared();
  std::uint64_t fence = mutex.fence();
  auto throws = [](auto&& call) { return caught(call).code == ErrorCode::forked; };
  auto all_throw = [&] {
    return throws([&] { mutex.lock(); }) && throws([&] { (void)mutex.try_lock(); }) &&
           throws([&] { mutex.unlock(); }) && throws([&] { (void)mutex.holds(); }) &&
           throws([&] { (void)mutex.fence(); }) && throws([&] { shared.unlock_shared(); }) &&
           throws([&] { ticket.request(); }) && throws([&] { (void)ticket.ready(); }) &&
           throws([&] { (void)data.request(); }) && throws([&] { (void)data.state(); }) &&
           throws([&] { (void)peer->id(); }) && throws([&] { peer->leave(); }) &&
           throws([&] { Mutex another(*peer, "another"); });
  };
  EXPECT_EQ(in_child([&] { return all_throw() ? 7 : 1; }), 7);
  EXPECT_TRUE(mutex.holds());
  EXPECT_EQ(mutex.fence(), fence);
  mutex.unlock();
  shared.unlock_shared();
  mutex.lock();
  EXPECT_GT(mutex.fence(), fence);
  mutex.unlock();
}

TEST_F(Objects, InAForkedChildDestructorsDoNothing) {
  auto peer = join("elmp");
  auto other = join("elmp");
  auto mutex = std::make_unique<Mutex>(*peer, "deploy");
  auto shared = std::make_unique<SharedMutex>(*peer, "table");
  auto ticket = std::make_unique<Ticket>(*peer, "frame");
  auto data = std::make_unique<Data>(*peer, "block");
  mutex->lock();
  ticket->request();
  ticket->acquire();
  ASSERT_EQ(data->request(), Outcome::ok);
  ASSERT_EQ(data->acquire(), Outcome::ok);
  // At any time, the threads that wait and drive may hold the peer's mutex.
  Mutex at_other(*other, "deploy");
  std::thread waiter([&] { std::scoped_lock guard(at_other); });
  std::thread second([mutex = mutex.get()] { std::scoped_lock guard(*mutex); });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(in_child([&] {
                data.reset();
                mutex.reset();
                shared.reset();
                peer.reset();  // The order does not matter.
                ticket.reset();
                return 7;
              }),
              7);
  EXPECT_TRUE(mutex->holds());
  EXPECT_TRUE(ticket->holds());
  EXPECT_EQ(data->release(), Outcome::ok);
  mutex->unlock();
  waiter.join();
  second.join();
}

#ifndef __SANITIZE_THREAD__  // ThreadSanitizer does not support threads in a forked child.
TEST_F(Objects, AForkedChildMayJoinForItself) {
  auto peer = join();
  Mutex mutex(*peer, "deploy");
  mutex.lock();
  auto child = [&] {
    auto own = join();
    Mutex deploy(*own, "deploy");
    Mutex other(*own, "other");
    if (deploy.try_lock()) return 1;
    std::scoped_lock guard(other);
    return other.holds() && own->id() != 0 ? 7 : 2;
  };
  EXPECT_EQ(in_child(child), 7);
  EXPECT_TRUE(mutex.holds());
  mutex.unlock();
}
#endif

}  // namespace conch::objects_test
