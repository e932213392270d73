#include "peer/register_desk.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <atomic>
#include <cerrno>
#include <semaphore>
#include <vector>

namespace conch::peer::register_desk_test {

using recovery::Answer;
using recovery::Life;
using recovery::Look;
using recovery::Renew;
using Numbers = std::vector<std::uint64_t>;

constexpr Life a{NodeId{1}, recovery::Incarnation{1}};
constexpr Life b{NodeId{2}, recovery::Incarnation{1}};

/// Renews when it is let.
struct Doors {
  std::counting_semaphore<> begun{0};
  std::counting_semaphore<> let{0};
};
class SlowRegister final : public Register {
 public:
  explicit SlowRegister(Doors& doors) : doors_(doors) {}
  void attach(const Life&) override {}
  file::Descriptor proof(const Life&) const override { return {}; }
  recovery::Standing read() override { return {}; }
  Verdict propose(const recovery::View&, const Life&) override { return {}; }
  bool renew(const Life&) override {
    doors_.begun.release();
    doors_.let.acquire();
    return true;
  }
  void delay(const Life&, Duration) override {}
  void end(const Life&) override {}
  Duration lease() const override { return std::chrono::hours(1); }
  int descriptor() const override { return never_.number(); }

 private:
  Doors& doors_;
  file::Descriptor never_{::eventfd(0, EFD_CLOEXEC)};
};

class Ears final : public RegisterListener {
 public:
  void answered(const Life&, const Answer& answer) override {
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

TEST(RegisterDesk, WhoAsksAgainNoLongerWaitsForTheOlderAnswer) {
  Doors doors;
  Ears ears;
  RegisterDesk desk(std::make_unique<SlowRegister>(doors), ears);
  desk.ask(a, {1, Renew{a}});
  doors.begun.acquire();
  // While that takes its time, everybody becomes impatient.
  desk.ask(a, {2, Renew{a}});
  desk.ask(a, {3, Look{}});
  desk.ask(b, {2, Renew{b}});
  desk.ask(a, {4, Renew{a}});
  desk.ask(a, {5, Renew{a}});
  desk.ask(b, {9, Renew{b}});
  doors.let.release(100);
  EXPECT_EQ(ears.await(4), (Numbers{1, 5, 3, 9}));
  desk.close();
  EXPECT_TRUE(doors.begun.try_acquire() && doors.begun.try_acquire());
  EXPECT_FALSE(doors.begun.try_acquire()) << "the register was asked in vain";
}

/// On a full disk: one can look, and nothing else. Each attempt is about another file.
class FullRegister final : public Register {
 public:
  void attach(const Life&) override {}
  file::Descriptor proof(const Life&) const override { return {}; }
  recovery::Standing read() override { return {}; }
  Verdict propose(const recovery::View&, const Life&) override {
    int attempt = ++attempts;
    throw RegisterError("cannot write file " + std::to_string(attempt), is_full ? ENOSPC : EROFS);
  }
  bool renew(const Life&) override { return true; }
  void delay(const Life&, Duration) override {}
  void end(const Life&) override {}
  Duration lease() const override { return std::chrono::hours(1); }
  int descriptor() const override { return never_.number(); }

  std::atomic<int> attempts = 0;
  std::atomic<bool> is_full = true;

 private:
  file::Descriptor never_{::eventfd(0, EFD_CLOEXEC)};
};

/// Looks when it is told to, and proposes when it has looked, as a newcomer does.
class Newcomer final : public RegisterListener {
 public:
  void answered(const Life&, const Answer& answer) override {
    desk->ask(a, {answer.number + 1, recovery::Propose{}});
  }
  void register_changed() override { desk->ask(a, {1, Look{}}); }
  void register_trouble(const std::string& why) override {
    troubles.push_back(why);
    troubled.release();
  }
  RegisterDesk* desk = nullptr;
  std::vector<std::string> troubles;
  std::counting_semaphore<> troubled{0};
};

TEST(RegisterDesk, WhatFailsAgainAndAgainIsTriedLessAndLessOftenAndSaidOnce) {
  auto owned = std::make_unique<FullRegister>();
  FullRegister& full = *owned;
  Newcomer newcomer;
  RegisterDesk desk(std::move(owned), newcomer);
  newcomer.desk = &desk;
  desk.ask(a, {1, Look{}});
  newcomer.troubled.acquire();
  EXPECT_FALSE(newcomer.troubled.try_acquire_for(std::chrono::milliseconds(700)));
  EXPECT_GE(full.attempts, 3);
  EXPECT_LE(full.attempts, 12) << "the pauses do not grow";
  full.is_full = false;
  newcomer.troubled.acquire();
  auto before = std::chrono::steady_clock::now();
  desk.close();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(500));
  EXPECT_EQ(newcomer.troubles.size(), 2u) << testing::PrintToString(newcomer.troubles);
}

}  // namespace conch::peer::register_desk_test
