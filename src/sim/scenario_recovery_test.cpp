#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "catalog/real_algorithms.hpp"
#include "core/print.hpp"
#include "core/testing/dice.hpp"
#include "sim/scenario.hpp"
#include "sim/scripted_world.hpp"

namespace conch::sim::scenario_recovery_test {

/// What the last command prints.
std::string last_output(std::initializer_list<std::string_view> commands) {
  Scenario scenario;
  std::string output;
  for (std::string_view command : commands) output = scenario.run(command);
  return output;
}

TEST(Recovery, SaysWhatItCannotDo) {
  EXPECT_EQ(last_output({"nodes 3 sigma", "recover"}),
            "error: sigma has no epochs: its replicas vote\n");
  EXPECT_EQ(last_output({"nodes 3 bully", "recover"}).substr(0, 6), "error:");
  EXPECT_EQ(last_output({"nodes 1 central", "crash 0", "recover"}),
            "error: nobody is left to recover the lock\n");
}

/// Holders stay inside, waiters are served in the order in which they asked, and messages on their
/// way are void.
TEST(Recovery, HoldersStayAndWaitersAreServed) {
  EXPECT_EQ(last_output({"nodes 4 raymond", "request 1", "settle", "request 3", "request 2",
                         "crash 0", "recover"}),
            "void: 3 -> 1 REQUEST\nvoid: 2 -> 0 REQUEST\n"
            "epoch 2 begins; inside: 1; waiting: 3, 2\n");
}

/// Whatever happens before a recovery, after it every waiter is served, and nothing breaks.
void expect_recovery(const CatalogEntry& entry, std::uint64_t seed, unsigned& recoveries) {
  Dice dice(seed);
  Node nodes = static_cast<Node>(2 + dice.below(4));
  Scenario scenario;
  std::string told =
      scenario.run("nodes " + std::to_string(nodes) + " " + std::string(entry.about.name));
  auto node = [&] { return " " + std::to_string(dice.below(nodes)); };
  for (int i = 0; i < 40; ++i) {
    switch (dice.below(7)) {
      case 0:
      case 1: told += scenario.run("request" + node()); break;
      case 2: told += scenario.run("release" + node()); break;
      case 3: told += scenario.run("cancel" + node()); break;
      case 4: told += scenario.run("settle " + std::to_string(dice.below(9))); break;
      case 5: told += scenario.run("deliver"); break;
      case 6: {
        if (!dice.percent(30)) break;
        if (dice.percent(50)) told += scenario.run("crash" + node());
        std::string recovered = scenario.run("recover");
        recoveries += recovered.find(" begins") != recovered.npos;
        told += recovered;
      }
    }
  }
  scenario.run("recover");
  auto is_wanted = [&](const Sight& sight) {
    return std::any_of(sight.members.begin(), sight.members.end(), [](const Sight::Member& each) {
      return each.phase == Phase::waiting || each.phase == Phase::inside;
    });
  };
  for (int i = 0; i < 200 && is_wanted(scenario.world()->sight()); ++i) {
    Sight sight = scenario.world()->sight();
    for (const Sight::Member& each : sight.members) {
      std::string name = std::to_string(each.node);
      if (each.phase == Phase::inside) told += scenario.run("release " + name);
      for (TimerId timer : each.armed)
        if (sight.in_flight.empty()) told += scenario.run("timer " + name + " " + print(timer));
    }
    told += scenario.run("settle 50");
  }
  EXPECT_FALSE(is_wanted(scenario.world()->sight())) << entry.about.name << ", seed " << seed;
  for (const Sight::Verdict& verdict : scenario.world()->sight().verdicts)
    EXPECT_NE(verdict.text, "violated")
        << word(verdict.property) << " of " << entry.about.name << ", seed " << seed << told;
}

TEST(Recovery, EveryAlgorithmGoesOn) {
  for (const std::string& name : real_algorithms()) {
    unsigned recoveries = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
      expect_recovery(find_algorithm(name), seed, recoveries);
    EXPECT_GT(recoveries, 50u) << name;
  }
}

}  // namespace conch::sim::scenario_recovery_test
