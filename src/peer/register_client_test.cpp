#include "peer/register_client.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <atomic>
#include <cerrno>
#include <conch/error.hpp>
#include <semaphore>
#include <vector>

namespace conch::peer::register_client_test {

using recovery::Look;
using recovery::RegisterAnswer;
using recovery::RenewLease;
using Numbers = std::vector<std::uint64_t>;

constexpr PeerInstance a{NodeId{1}, Incarnation{1}};
constexpr PeerInstance b{NodeId{2}, Incarnation{1}};

/// A register that renews only when the test lets it.
struct Doors {
  std::counting_semaphore<> begun{0};
  std::counting_semaphore<> let{0};
};
class SlowRegister final : public Register {
 public:
  explicit SlowRegister(Doors& doors) : doors_(doors) {}
  void attach(const PeerInstance&) override {}
  net::Descriptor proof(const PeerInstance&) const override { return {}; }
  recovery::RegisterSnapshot read() override { return {}; }
  ProposalResult propose(const recovery::View&, const PeerInstance&) override { return {}; }
  bool renew(const PeerInstance&) override {
    doors_.begun.release();
    doors_.let.acquire();
    return true;
  }
  void delay(const PeerInstance&, Duration) override {}
  void end(const PeerInstance&) override {}
  Duration lease() const override { return std::chrono::hours(1); }
  int descriptor() const override { return never_.number(); }

 private:
  Doors& doors_;
  net::Descriptor never_{::eventfd(0, EFD_CLOEXEC)};
};

class Ears final : public RegisterListener {
 public:
  void answered(const PeerInstance&, const RegisterAnswer& answer) override {
    numbers.push_back(answer.number);
    heard.release();
  }
  void register_changed() override {}
  void register_trouble(const std::string&) override {}
  Numbers await(int count) {
    for (int i = 0; i < count; ++i) heard.acquire();
    return numbers;
  }

 private:
  Numbers numbers;
  std::counting_semaphore<> heard{0};
};

TEST(RegisterClient, WhoAsksAgainNoLongerWaitsForTheOlderAnswer) {
  Doors doors;
  Ears ears;
  RegisterClient client(std::make_unique<SlowRegister>(doors), ears);
  client.ask(a, {1, RenewLease{a}});
  doors.begun.acquire();
  // While the first renewal takes its time, all askers repeat their questions.
  client.ask(a, {2, RenewLease{a}});
  client.ask(a, {3, Look{}});
  client.ask(b, {2, RenewLease{b}});
  client.ask(a, {4, RenewLease{a}});
  client.ask(a, {5, RenewLease{a}});
  client.ask(b, {9, RenewLease{b}});
  doors.let.release(100);
  EXPECT_EQ(ears.await(4), (Numbers{1, 5, 3, 9}));
  client.close();
  EXPECT_TRUE(doors.begun.try_acquire() && doors.begun.try_acquire());
  EXPECT_FALSE(doors.begun.try_acquire()) << "the register was asked in vain";
}

TEST(RegisterClient, ProvesNothingAfterItWasClosed) {
  Doors doors;
  Ears ears;
  RegisterClient client(std::make_unique<SlowRegister>(doors), ears);
  client.close();
  EXPECT_THROW(client.proof(a), Error);
}

/// A full disk: reads work, and nothing else does. Each attempt fails with another file's name.
class FullRegister final : public Register {
 public:
  void attach(const PeerInstance&) override {}
  net::Descriptor proof(const PeerInstance&) const override { return {}; }
  recovery::RegisterSnapshot read() override { return {}; }
  ProposalResult propose(const recovery::View&, const PeerInstance&) override {
    int attempt = ++attempts;
    throw RegisterError("cannot write file " + std::to_string(attempt), is_full ? ENOSPC : EROFS);
  }
  bool renew(const PeerInstance&) override { return true; }
  void delay(const PeerInstance&, Duration) override {}
  void end(const PeerInstance&) override {}
  Duration lease() const override { return std::chrono::hours(1); }
  int descriptor() const override { return never_.number(); }

  std::atomic<int> attempts = 0;
  std::atomic<bool> is_full = true;

 private:
  net::Descriptor never_{::eventfd(0, EFD_CLOEXEC)};
};

/// Behaves like a newcomer: looks when told to, and proposes after each look.
class Newcomer final : public RegisterListener {
 public:
  void answered(const PeerInstance&, const RegisterAnswer& answer) override {
    client->ask(a, {answer.number + 1, recovery::Propose{}});
  }
  void register_changed() override { client->ask(a, {1, Look{}}); }
  void register_trouble(const std::string& why) override {
    troubles.push_back(why);
    troubled.release();
  }
  RegisterClient* client = nullptr;
  std::vector<std::string> troubles;
  std::counting_semaphore<> troubled{0};
};

TEST(RegisterClient, WhatFailsAgainAndAgainIsTriedLessAndLessOftenAndSaidOnce) {
  auto owned = std::make_unique<FullRegister>();
  FullRegister& full = *owned;
  Newcomer newcomer;
  RegisterClient client(std::move(owned), newcomer);
  newcomer.client = &client;
  client.ask(a, {1, Look{}});
  newcomer.troubled.acquire();
  EXPECT_FALSE(newcomer.troubled.try_acquire_for(std::chrono::milliseconds(700)));
  EXPECT_GE(full.attempts, 3);
  EXPECT_LE(full.attempts, 12) << "the pauses do not grow";
  full.is_full = false;
  newcomer.troubled.acquire();
  auto before = std::chrono::steady_clock::now();
  client.close();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(500));
  EXPECT_EQ(newcomer.troubles.size(), 2u) << testing::PrintToString(newcomer.troubles);
}

}  // namespace conch::peer::register_client_test
