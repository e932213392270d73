#include "playground/playground.hpp"

#include <gtest/gtest.h>

namespace conch::playground::playground_test {

std::string run_all(Playground& playground, std::initializer_list<std::string_view> lines) {
  std::string printed;
  for (std::string_view line : lines) printed += playground.run(line);
  return printed;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST(Playground, PrintsWhatAScenarioPrints) {
  Playground playground;
  EXPECT_EQ(
      run_all(playground, {"nodes 2 central", "# 1 asks", "request 1", "settle"}),
      "1 -> 0 REQUEST(number 1)\n0 -> 1 GRANT(number 1, baton 1.1)\n1 enters with fence 1.1\n");
  EXPECT_EQ(playground.run("release 0"),
            "error: 0 cannot release: it neither waits nor is inside\n");
  EXPECT_EQ(playground.run("flub"), "error: unknown verb \"flub\"\n");
}

TEST(Playground, BeginsAnew) {
  Playground playground;
  EXPECT_EQ(playground.sight(), "null");
  EXPECT_EQ(playground.draw({}), "");
  run_all(playground, {"nodes 2 central", "request 1", "# hold 1 -> 0 REQUEST"});
  playground.begin();
  EXPECT_EQ(playground.sight(), "null");
  EXPECT_EQ(playground.run("request 1"),
            "error: there are no nodes yet; begin with nodes N ALGORITHM\n");
}

TEST(Playground, ShowsWhatCanBeSeen) {
  Playground playground;
  run_all(playground, {"nodes 2 naimi-trehel", "request 0", "request 1"});
  std::string sight = playground.sight();
  EXPECT_TRUE(has(sight, R"({"node":0,"phase":"inside","token":true,)")) << sight;
  EXPECT_TRUE(has(sight, R"({"node":1,"phase":"waiting","token":false,)")) << sight;
  EXPECT_TRUE(has(sight, R"("flight":[{"from":1,"to":0,"kind":"REQUEST","text":"REQUEST()"))
      << sight;
  EXPECT_TRUE(has(sight, R"("parted":false,"held":false}])")) << sight;
  EXPECT_TRUE(has(sight, R"({"property":"ME1","text":"held","broken":false})")) << sight;
  EXPECT_TRUE(has(sight, R"("newcomer":2)")) << sight;
  EXPECT_TRUE(has(sight, R"("deadlock":"")")) << sight;
  run_all(playground, {"partition 0 | 1", "crash 0"});
  sight = playground.sight();
  EXPECT_TRUE(has(sight, R"("phase":"crashed")")) << sight;
  EXPECT_TRUE(has(sight, R"("parted":true)")) << sight;
  EXPECT_TRUE(has(sight, R"("left":[0],"right":[1])")) << sight;
}

TEST(Playground, SaysWhyNothingHappensAnyMore) {
  Playground playground;
  run_all(playground, {"nodes 2 central", "request 1", "drop 1 -> 0"});
  std::string sight = playground.sight();
  EXPECT_TRUE(has(sight, R"("deadlock":"deadlock: nothing is in flight)")) << sight;
  EXPECT_TRUE(has(sight, R"({"property":"ME2","text":"violated","broken":true})")) << sight;
}

TEST(Playground, LooksAtElections) {
  Playground playground;
  run_all(playground, {"nodes 2 bully", "elect 0"});
  std::string sight = playground.sight();
  EXPECT_TRUE(has(sight, R"("participant":true,"retired":false,"armed":[0])")) << sight;
  EXPECT_TRUE(has(sight, R"({"property":"E1","text":"not at rest","broken":false})")) << sight;
  playground.run("settle");
  sight = playground.sight();
  EXPECT_TRUE(has(sight, R"("elected":1)")) << sight;
  EXPECT_TRUE(has(sight, R"({"property":"E1","text":"held","broken":false})")) << sight;
}

/// Runs drawn commands until nothing can happen; returns the lines.
std::vector<std::string> run_by_itself(Playground& playground, std::uint64_t seed,
                                       std::size_t lines_max = 1000) {
  std::vector<std::string> lines;
  for (std::string next; lines.size() < lines_max; lines.push_back(next)) {
    next = playground.draw({.seed = seed});
    if (next.empty()) break;
    std::string printed = playground.run(next);
    EXPECT_FALSE(has(printed, "error:")) << next << "\n" << printed;
  }
  return lines;
}

TEST(Playground, DrawsTheSameRunFromTheSameSeed) {
  auto lines = [](std::uint64_t seed) {
    Playground playground;
    run_all(playground, {"nodes 5 ricart-agrawala", "request 1", "request 2", "request 3"});
    return run_by_itself(playground, seed);
  };
  EXPECT_EQ(lines(1), lines(1));
  EXPECT_GT(lines(1).size(), 12u);
  bool differs = false;
  for (std::uint64_t seed = 2; seed < 10; ++seed) differs = differs || lines(seed) != lines(1);
  EXPECT_TRUE(differs);
}

TEST(Playground, HeldMessagesDoNotArriveByThemselves) {
  Playground playground;
  run_all(playground, {"nodes 3 central", "request 1", "request 2", "# hold 1 -> 0 REQUEST"});
  EXPECT_TRUE(has(playground.sight(), R"("held":true)"));
  run_by_itself(playground, 1);
  EXPECT_TRUE(has(playground.sight(), R"("node":2,"phase":"inside")"));
  EXPECT_TRUE(has(playground.sight(), R"("node":1,"phase":"waiting")"));
  playground.run("release 2");
  playground.run("# let go 1 -> 0 REQUEST");
  run_by_itself(playground, 1);
  EXPECT_TRUE(has(playground.sight(), R"("node":1,"phase":"inside")"));
}

TEST(Playground, AHoldEndsWithItsMessage) {
  Playground playground;
  run_all(playground, {"nodes 2 central", "request 1", "# hold 1 -> 0 REQUEST", "deliver 1 -> 0",
                       "settle", "release 1", "settle", "request 1"});
  EXPECT_FALSE(has(playground.sight(), R"("held":true)"));
  EXPECT_EQ(playground.draw({}), "deliver 1 -> 0 REQUEST");
}

TEST(Playground, NothingCrossesAPartitionByItself) {
  Playground playground;
  run_all(playground, {"nodes 2 central", "partition 0 | 1", "request 1"});
  EXPECT_EQ(playground.draw({}), "");
  playground.run("heal");
  EXPECT_EQ(playground.draw({}), "deliver 1 -> 0 REQUEST");
}

TEST(Playground, ATimerFiresWhenNothingElseHappens) {
  Playground playground;
  run_all(playground, {"nodes 3 bully", "crash 2", "elect 0"});
  std::string printed;
  for (std::string next; !(next = playground.draw({.seed = 3})).empty();)
    printed += playground.run(next);
  EXPECT_TRUE(has(printed, "1 is the coordinator")) << printed;
}

TEST(Playground, ProcessesThatAskByThemselvesEnter) {
  Playground playground;
  playground.run("nodes 4 suzuki-kasami");
  std::string printed;
  for (int i = 0; i < 200; ++i) {
    std::string next = playground.draw({.seed = 5, .lively = true});
    ASSERT_FALSE(next.empty());
    printed += playground.run(next);
  }
  EXPECT_TRUE(has(printed, "enters with fence 1.5")) << printed;
  EXPECT_FALSE(has(printed, "error:")) << printed;
  EXPECT_FALSE(has(printed, "VIOLATION ME1")) << printed;
}

TEST(Playground, FilmsEveryEvent) {
  Playground playground;
  EXPECT_EQ(playground.film(), "");
  EXPECT_EQ(playground.events(), 0u);
  playground.run("nodes 3 naimi-trehel");
  std::size_t before = playground.events();
  for (std::string_view line :
       {"request 1", "deliver 1 -> 0", "drop 0 -> 1", "partition 0 | 1", "heal", "crash 2"}) {
    playground.run(line);
    EXPECT_GT(playground.events(), before) << line;
    before = playground.events();
  }
  EXPECT_TRUE(playground.film().starts_with("conchfil"));
  EXPECT_TRUE(has(playground.film(), "\"title\":\"Playground\""));
}

TEST(Playground, AGroupThatCannotBeIsRefused) {
  Playground playground;
  playground.run("nodes 3 central");
  std::string sight = playground.sight();
  EXPECT_TRUE(playground.run("nodes 3 nobody").starts_with("error: unknown algorithm"));
  EXPECT_EQ(playground.sight(), sight);
}

/// Every algorithm of the catalogue runs by itself, on channels as it needs them, and keeps its
/// safety promise unless it is a specimen.
TEST(Playground, EveryAlgorithmRunsByItself) {
  std::string list = catalog();
  unsigned ran = 0;
  for (std::size_t at = list.find("{\"name\":\""); at != std::string::npos;
       at = list.find("{\"name\":\"", at + 1)) {
    std::string name = list.substr(at + 9, list.find('"', at + 9) - at - 9);
    if (has(name, "@") || has(name, "textbook")) continue;
    Playground playground;
    EXPECT_EQ(playground.run("nodes 4 " + name).find("error:"), std::string::npos) << name;
    std::string printed;
    for (int i = 0; i < 300; ++i)
      printed += playground.run(playground.draw({.seed = 11, .lively = true}));
    EXPECT_FALSE(has(printed, "error:")) << name << "\n" << printed;
    EXPECT_FALSE(has(printed, "VIOLATION ME1")) << name << "\n" << printed;
    EXPECT_TRUE(has(printed, "enters") || has(printed, "coordinator")) << name;
    ++ran;
  }
  EXPECT_GT(ran, 15u);
}

TEST(Playground, TheCatalogueSaysWhatCanBeChosen) {
  std::string list = catalog();
  EXPECT_TRUE(has(list, R"("name":"naimi-trehel")"));
  EXPECT_TRUE(has(list, R"("options":["home","clusters","sites","eps"])")) << list;
  EXPECT_TRUE(has(list, R"("options":["ids"])")) << list;
  EXPECT_TRUE(has(list, R"("name":"elmp@retry")"));
  EXPECT_TRUE(has(list, R"("caughtBy":"ME2")"));
}

}  // namespace conch::playground::playground_test
