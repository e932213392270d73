#include "explore/task.hpp"

#include <gtest/gtest.h>

#include <set>

#include "explore/share.hpp"

namespace conch::explore::task_test {

Task drawn() {
  Task task{.program = "conch", .words = {"sim", "elmp"}, .machine_words = {"--json"}};
  task.set({"--nodes", "2..20", Smaller::lower, 2});
  task.set({"--requests", "8", Smaller::lower});
  task.set({"--lose", "10%"});
  task.set({"--prefetch"});
  return task;
}

std::set<std::string> commands(const std::vector<Task>& tasks) {
  std::set<std::string> all;
  for (const Task& task : tasks) all.insert(command_of(words_of(task, 7)));
  return all;
}

TEST(ExploreTask, IsACommand) {
  EXPECT_EQ(command_of(words_of(drawn(), 7)),
            "conch sim elmp --nodes 2..20 --requests 8 --lose 10% --prefetch --seed 7");
  EXPECT_EQ(command_of(words_of(drawn(), Seeds{7, 3})),
            "conch sim elmp --nodes 2..20 --requests 8 --lose 10% --prefetch --seeds 7..9 --json");
  Task fuzz{.program = "fuzz", .seeding = Seeding::numbered};
  EXPECT_EQ(command_of(words_of(fuzz, Seeds{7, 3})), "fuzz 10 7");
  EXPECT_EQ(command_of(words_of(fuzz, 7)), "fuzz 8 7");
  Task check{.program = "conch", .words = {"check", "elmp"}, .seeding = Seeding::none};
  EXPECT_EQ(command_of(words_of(check, 7)), "conch check elmp");
}

TEST(ExploreTask, BecomesSmallerInOnePlace) {
  std::set<std::string> all = commands(smaller(drawn()));
  EXPECT_TRUE(all.contains("conch sim elmp --nodes 2..20 --requests 8 --prefetch --seed 7"));
  EXPECT_TRUE(
      all.contains("conch sim elmp --nodes 2..10 --requests 8 --lose 10% --prefetch --seed 7"));
  EXPECT_TRUE(
      all.contains("conch sim elmp --nodes 2..20 --requests 1 --lose 10% --prefetch --seed 7"));
  EXPECT_FALSE(all.contains(command_of(words_of(drawn(), 7))));
}

TEST(ExploreTask, ListsAndCountsBecomeShorterAndLower) {
  Task task{.program = "conch"};
  task.set({"--clusters", "2,1", Smaller::list});
  EXPECT_EQ(commands(smaller(task)),
            (std::set<std::string>{"conch --clusters 1 --seed 7", "conch --clusters 2 --seed 7",
                                   "conch --clusters 1,1 --seed 7"}));
  task.options = {{"--mishaps", "crashes=2,joins=0", Smaller::counts}};
  EXPECT_EQ(commands(smaller(task)),
            (std::set<std::string>{"conch --mishaps crashes=0,joins=0 --seed 7",
                                   "conch --mishaps crashes=1,joins=0 --seed 7"}));
}

TEST(ExploreTask, IsShrunkToTheSmallestThatFails) {
  auto fails = [](const Task& task, std::uint64_t seed) -> std::optional<std::uint64_t> {
    bool loses = task.find("--lose") != nullptr;
    bool has_enough = std::stoi(task.find("--requests")->value) >= 3;
    return loses && has_enough ? std::optional(seed + 1) : std::nullopt;
  };
  Failing failing = shrink(Failing{drawn(), 7}, fails);
  Task expected{.program = "conch", .words = {"sim", "elmp"}, .machine_words = {"--json"}};
  expected.set({"--nodes", "2", Smaller::lower, 2});
  expected.set({"--requests", "3", Smaller::lower});
  expected.set({"--lose", "10%"});
  EXPECT_EQ(failing.task, expected) << command_of(words_of(failing.task, failing.seed));
  EXPECT_GT(failing.seed, 7u);
}

TEST(ExploreShare, GivesTimeToWhoHadTheLeast) {
  Share share({{.task_s = 2}, {.task_s = 2}, {.task_s = 20, .at_once_max = 1}});
  EXPECT_EQ(share.begin(100), 0u);
  EXPECT_EQ(share.begin(100), 1u);  // the first family has a task running
  share.end(0, 30);
  share.end(1, 2);
  EXPECT_EQ(share.begin(100), 1u);
  share.end(1, 28);
  EXPECT_EQ(share.begin(100), 2u);  // long tasks, but no time yet
  EXPECT_NE(share.begin(100), 2u);  // only one at a time
}

TEST(ExploreShare, BeginsNothingThatCannotEndOrRun) {
  Share share({{.task_s = 2}, {.task_s = 20}});
  EXPECT_EQ(share.begin(5), 0u);
  share.end(0, 100);
  EXPECT_EQ(share.begin(5), 0u);
  share.close(0);
  EXPECT_EQ(share.begin(5), std::nullopt);
  EXPECT_EQ(share.begin(50), 1u);
}

}  // namespace conch::explore::task_test
