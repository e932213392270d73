#include "chaos/nemesis.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <utility>

namespace conch::chaos::nemesis_test {

using namespace std::chrono_literals;

Temper all_kinds() {
  Temper temper{.kinds = {}, .sites = 3, .seats = 9, .lease = 1s, .pause = 700ms};
  for (std::size_t kind = 0; kind < kinds; ++kind) temper.kinds.insert(static_cast<Kind>(kind));
  return temper;
}

TEST(Nemesis, EveryKindComesOnceInARound) {
  Nemesis nemesis(7, all_kinds());
  for (int round = 1; round <= 20; ++round) {
    std::map<Kind, int> seen;
    for (std::size_t i = 0; i < kinds; ++i) ++seen[nemesis.next().kind];
    EXPECT_EQ(seen.size(), kinds);
  }
}

TEST(Nemesis, TheSeedSaysWhatGoesWrong) {
  auto story = [](std::uint64_t seed) {
    Nemesis nemesis(seed, all_kinds());
    std::vector<std::tuple<Kind, Duration, Duration, std::size_t, std::size_t>> faults;
    for (int i = 0; i < 100; ++i) {
      Fault fault = nemesis.next();
      faults.emplace_back(fault.kind, fault.after, fault.lasts, fault.seat, fault.site);
    }
    return faults;
  };
  EXPECT_EQ(story(1), story(1));
  EXPECT_NE(story(1), story(2));
}

/// Some faults end before a lease does, others after it. Only register_away parts the register's
/// site.
TEST(Nemesis, FaultsAreShorterAndLongerThanALease) {
  Nemesis nemesis(3, all_kinds());
  bool shorter = false;
  bool longer = false;
  for (int i = 0; i < 200; ++i) {
    Fault fault = nemesis.next();
    bool parts = fault.kind == Kind::part || fault.kind == Kind::part_one_way;
    if (parts) {
      EXPECT_NE(fault.site, 0u);
    }
    if (fault.kind == Kind::stop) (fault.lasts < 1s ? shorter : longer) = true;
  }
  EXPECT_TRUE(shorter);
  EXPECT_TRUE(longer);
}

/// With etcd any site may be parted, with its member. The register is away only if a majority is.
TEST(Nemesis, WithEtcdItsMembersAreHit) {
  Temper temper = all_kinds();
  temper.has_etcd = true;
  Nemesis nemesis(3, temper);
  std::set<std::size_t> parted;
  std::set<std::pair<std::size_t, int>> ways_to_be_away;
  for (std::size_t i = 0; i < 30 * kinds; ++i) {
    Fault fault = nemesis.next();
    if (fault.kind == Kind::part) parted.insert(fault.site);
    bool is_away = fault.kind == Kind::register_away;
    bool is_one = fault.kind == Kind::kill_etcd || fault.kind == Kind::reboot;
    if (is_away) {
      EXPECT_GE(fault.lasts, 1500ms);
      ways_to_be_away.emplace(fault.etcd.size(), fault.etcd_signal);
    } else {
      EXPECT_EQ(fault.etcd, is_one ? std::vector{fault.site} : std::vector<std::size_t>{});
    }
  }
  EXPECT_EQ(parted.size(), 3u);
  EXPECT_EQ(ways_to_be_away, (std::set<std::pair<std::size_t, int>>{
                                 {2, SIGKILL}, {2, SIGSTOP}, {3, SIGKILL}, {3, SIGSTOP}}));
}

}  // namespace conch::chaos::nemesis_test
