// Many clients use an etcd cluster while its members are killed and stopped.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "recovery/lease.hpp"
#include "register/etcd_register.hpp"
#include "register/testing/etcd_cluster.hpp"
#include "register/testing/views.hpp"

namespace conch::etcd_storm_test {

using namespace std::chrono_literals;
using recovery::RegisterSnapshot;
using recovery::View;

class EtcdStorm : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string why = why_no_etcd(); !why.empty()) GTEST_SKIP() << why;
  }
  static EtcdRegisterOptions options_for(const EtcdCluster& cluster, Duration lease) {
    EtcdRegisterOptions options;
    options.endpoints = cluster.endpoints();
    options.group = "test";
    options.lease = lease;
    options.patience = 1s;
    return options;
  }
};

/// Peers that propose and renew as fast as they can. Records the views that were accepted.
class Deciders {
 public:
  Deciders(EtcdRegisterOptions options, std::uint64_t peers) : options_(std::move(options)) {
    for (std::uint64_t i = 1; i <= peers; ++i) threads_.emplace_back([this, i] { run(life(i)); });
  }
  ~Deciders() { stop(); }

  void stop() {
    stopping_ = true;
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  /// Waits until this many more views have been accepted.
  bool await_views(std::size_t more) {
    std::unique_lock lock(mutex_);
    std::size_t wanted = accepted_.size() + more;
    return changed_.wait_for(lock, std::chrono::minutes(1),
                             [&] { return accepted_.size() >= wanted || !wrong_.empty(); });
  }
  const std::map<std::uint64_t, View>& accepted() const { return accepted_; }
  const std::string& wrong() const { return wrong_; }
  std::size_t refusals() const { return refusals_; }
  std::size_t renewals() const { return renewals_; }

 private:
  void run(const PeerInstance& self) {
    std::unique_ptr<EtcdRegister> reg;
    std::optional<View> proposal;
    while (!stopping_) {
      try {
        if (!reg) reg = std::make_unique<EtcdRegister>(options_);
        View known = reg->read().view;
        bool inside = known.roster.contains(self);
        if (inside && !reg->renew(self)) return fail("a member could not renew");
        renewals_ += inside ? 1 : 0;
        // Repeats a proposal that may have been accepted although the answer was lost.
        if (!proposal) proposal = next(known, self);
        ProposalResult verdict = reg->propose(*proposal);
        verdict.accepted ? accept(*proposal) : void(++refusals_);
        proposal.reset();
      } catch (const RegisterError&) {
        // The loop tries again.
      } catch (const std::exception& error) {
        return fail(error.what());
      }
    }
  }
  static View next(const View& known, const PeerInstance& self) {
    View view = known;
    ++view.number;
    ++view.epoch.value;
    view.algorithm = "naimi-trehel";
    view.decider = self;
    view.roster = view.roster.with({self.id, self.incarnation, "here", false});
    return view;
  }
  void accept(const View& view) {
    std::lock_guard lock(mutex_);
    auto [found, is_new] = accepted_.emplace(view.number, view);
    if (!is_new && found->second != view) wrong_ = "two views of one number were accepted";
    changed_.notify_all();
  }
  void fail(const std::string& why) {
    std::lock_guard lock(mutex_);
    wrong_ = why;
    changed_.notify_all();
  }

  EtcdRegisterOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, View> accepted_;
  std::string wrong_;
  std::atomic<std::size_t> refusals_ = 0;
  std::atomic<std::size_t> renewals_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

TEST_F(EtcdStorm, NothingHappensTwice) {
  EtcdCluster cluster(3);
  EtcdRegisterOptions options = options_for(cluster, 5min);
  Deciders storm(options, 5);
  ASSERT_TRUE(storm.await_views(20));
  for (std::size_t round = 0; round < 6; ++round) {
    // A stopped member carries out old requests when it continues.
    bool dies = round % 2 == 0;
    dies ? cluster.kill(round % 3) : cluster.send(round % 3, SIGSTOP);
    ASSERT_TRUE(storm.await_views(20)) << storm.wrong();
    dies ? cluster.start(round % 3) : cluster.send(round % 3, SIGCONT);
    ASSERT_TRUE(storm.await_views(20)) << storm.wrong();
  }
  storm.stop();
  EXPECT_EQ(storm.wrong(), "");
  EtcdRegister reg(options);
  View newest = reg.read().view;
  EXPECT_EQ(storm.accepted().size(), newest.number) << "every view was somebody's";
  EXPECT_EQ(storm.accepted().rbegin()->second, newest);
  EXPECT_EQ(newest.roster.size(), 5u);
  EXPECT_GT(storm.refusals(), 0u);
  EXPECT_GT(storm.renewals(), 0u);
}

/// Peers that renew their leases, sometimes too late. Records what they and the others believe.
class Tenants {
 public:
  Tenants(EtcdRegisterOptions options, std::uint64_t peers) : options_(std::move(options)) {
    for (std::uint64_t i = 1; i <= peers; ++i) threads_.emplace_back([this, i] { run(i); });
  }
  ~Tenants() { stop(); }

  void stop() {
    stopping_ = true;
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  bool await_ends(std::size_t more) {
    std::unique_lock lock(mutex_);
    std::size_t wanted = told_.size() + more;
    return changed_.wait_for(lock, std::chrono::minutes(2),
                             [&] { return told_.size() >= wanted || !wrong_.empty(); });
  }
  const std::string& wrong() const { return wrong_; }
  std::size_t renewals() const { return renewals_; }

 private:
  void run(std::uint64_t id) {
    std::minstd_rand dice(static_cast<unsigned>(id));
    std::unique_ptr<EtcdRegister> reg;
    std::uint64_t incarnation = 1;
    while (!stopping_) {
      try {
        if (!reg) reg = std::make_unique<EtcdRegister>(options_);
        PeerInstance self = life(id, incarnation);
        RegisterSnapshot known = reg->read();
        tell(known);
        if (!known.view.roster.contains(self)) {
          reg->propose(admission(known, self), self);
        } else if (!renew(*reg, self)) {
          ++incarnation;
        }
        // Usually the next renewal is in time.
        Duration lease = options_.lease;
        std::this_thread::sleep_for(dice() % 8 == 0 ? 2 * lease : lease / 5);
      } catch (const RegisterError&) {
        // The loop tries again.
      } catch (const std::exception& error) {
        std::lock_guard lock(mutex_);
        wrong_ = error.what();
      }
    }
  }
  static View admission(const RegisterSnapshot& known, const PeerInstance& self) {
    View view = known.view;
    ++view.number;
    ++view.epoch.value;
    view.algorithm = "naimi-trehel";
    view.decider = self;
    for (const PeerInstance& dead : known.ended)
      if (view.roster.contains(dead)) view.roster = view.roster.without(dead.id);
    view.roster = view.roster.with({self.id, self.incarnation, "here", false});
    return view;
  }
  bool renew(EtcdRegister& reg, const PeerInstance& self) {
    auto asked = std::chrono::steady_clock::now();
    if (!reg.renew(self)) return false;
    ++renewals_;
    std::lock_guard lock(mutex_);
    auto until = asked + recovery::reliable({options_.lease});
    believes_[self] = until;
    auto told = told_.find(self);
    if (told != told_.end() && told->second < until) wrong_ = "a lease that had ended was renewed";
    return true;
  }
  void tell(const RegisterSnapshot& snapshot) {
    std::lock_guard lock(mutex_);
    auto now = std::chrono::steady_clock::now();
    for (const PeerInstance& ended : snapshot.ended) {
      if (!told_.emplace(ended, now).second) continue;
      auto believes = believes_.find(ended);
      if (believes != believes_.end() && now < believes->second)
        wrong_ = "a lease ended while its peer relied on it";
    }
    changed_.notify_all();
  }

  using Instant = std::chrono::steady_clock::time_point;
  EtcdRegisterOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  /// When each life stops relying on its lease, and when a client was first told that it has ended.
  std::map<PeerInstance, Instant> believes_;
  std::map<PeerInstance, Instant> told_;
  std::string wrong_;
  std::atomic<std::size_t> renewals_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

TEST_F(EtcdStorm, ALeaseDoesNotEndWhileItsPeerReliesOnIt) {
  EtcdCluster cluster(3);
  Tenants storm(options_for(cluster, 1s), 6);
  for (std::size_t round = 0; round < 4; ++round) {
    bool dies = round % 2 == 0;
    dies ? cluster.kill(round % 3) : cluster.send(round % 3, SIGSTOP);
    ASSERT_TRUE(storm.await_ends(3)) << storm.wrong();
    dies ? cluster.start(round % 3) : cluster.send(round % 3, SIGCONT);
    ASSERT_TRUE(storm.await_ends(3)) << storm.wrong();
  }
  storm.stop();
  EXPECT_EQ(storm.wrong(), "");
  EXPECT_GT(storm.renewals(), 0u);
}

}  // namespace conch::etcd_storm_test
