// Protocols over the small overlay of a scenario.
#include <gtest/gtest.h>

#include "catalog/classes.hpp"
#include "sim/scenario.hpp"

namespace conch::sim::scenario_overlay_test {

TEST(ScenarioOverlay, RoutedMessagesGoHopByHop) {
  Scenario scenario;
  EXPECT_EQ(scenario.run("nodes 8 sigma replicas 1 home 7"), "");
  std::string asked = scenario.run("request 0");
  EXPECT_TRUE(asked.starts_with("0 -> 4 REQUEST(replica 0, ")) << asked;
  EXPECT_TRUE(scenario.run("deliver 0 -> 4 REQUEST").starts_with("4 -> 6 REQUEST(replica 0, "));
  EXPECT_TRUE(scenario.run("deliver 4 -> 6 REQUEST").starts_with("6 -> 7 REQUEST(replica 0, "));
  // The answer goes straight to the waiter.
  EXPECT_TRUE(scenario.run("deliver 6 -> 7 REQUEST").starts_with("7 -> 0 RESPONSE(replica 0, "));
}

TEST(ScenarioOverlay, EveryProtocolLetsTwoInAfterOneAnother) {
  for (const CatalogEntry& entry : protocols()) {
    Scenario scenario;
    scenario.run("nodes 9 " + std::string(entry.about.name) + " replicas 3");
    scenario.run("request 1");
    EXPECT_NE(scenario.run("settle").find("1 enters"), std::string::npos) << entry.about.name;
    scenario.run("request 5");
    EXPECT_EQ(scenario.run("settle").find("enters"), std::string::npos) << entry.about.name;
    std::string released = scenario.run("release 1");
    released += scenario.run("settle");
    EXPECT_NE(released.find("5 enters"), std::string::npos) << entry.about.name << released;
    std::string check = scenario.run("check");
    EXPECT_EQ(check.find("violated"), std::string::npos) << entry.about.name << check;
    EXPECT_NE(check.find("inside: 5"), std::string::npos) << entry.about.name << check;
  }
}

TEST(ScenarioOverlay, AWaiterAsksAgainWhenItsTimerFires) {
  Scenario scenario;
  scenario.run("nodes 8 sigma replicas 1 home 7");
  EXPECT_NE(scenario.run("request 0").find("0 arms timer 1\n"), std::string::npos);
  scenario.run("drop 0 -> 4 REQUEST");
  EXPECT_TRUE(scenario.run("timer 0 1").starts_with("0 -> 4 REQUEST(replica 0, "));
  EXPECT_NE(scenario.run("settle").find("0 enters"), std::string::npos);
}

TEST(ScenarioOverlay, ARequestStopsAtANodeThatKnowsTheHolder) {
  Scenario scenario;
  scenario.run("nodes 8 end-to-end replicas 1 home 7");
  scenario.run("request 0");
  scenario.run("settle");
  EXPECT_TRUE(scenario.run("request 2").starts_with("2 -> 6 REQUEST("));
  EXPECT_TRUE(scenario.run("deliver 2 -> 6").starts_with("6 -> 0 ENQUEUE("));
}

}  // namespace conch::sim::scenario_overlay_test
