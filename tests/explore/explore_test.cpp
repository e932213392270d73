// Runs the program itself for a few seconds.
#include <gtest/gtest.h>

#include <filesystem>

#include "net/scratch_folder.hpp"
#include "process.hpp"

namespace conch::explore_test {

constexpr Milliseconds patience_for_a_run{240'000};

struct Explored {
  int status = 0;
  std::string text;
};

Explored explore(std::vector<std::string> words) {
  words.insert(words.begin(), EXPLORE);
  Process process(words);
  int status = process.await_exit(patience_for_a_run);
  return {status, process.output()};
}

/// Leaves out chaos and all families for which the machine may be too slow.
TEST(Explore, FreshSeedsOfTheCheapFamilies) {
  Explored explored = explore({"--minutes", "0.15",
                               "--jobs",    "2",
                               "--only",    "sim lamport",
                               "--only",    "sim elmp",
                               "--only",    "sim raymond",
                               "--only",    "sim bully",
                               "--only",    "survive central",
                               "--only",    "handover proxy",
                               "--only",    "check raymond",
                               "--only",    "fuzz_frames"});
  EXPECT_EQ(explored.status, 0) << explored.text;
  EXPECT_NE(explored.text.find("nothing found"), std::string::npos) << explored.text;
}

/// The bug of a specimen is found, shrunk, and found again by the printed command.
TEST(Explore, WhatWasPlantedIsFoundShrunkAndRepeated) {
  ScratchFolder folder;
  Explored explored = explore({"--minutes", "0.1", "--specimens", "--only",
                               "sim naimi-trehel@idle-owner", "--folder", folder.path()});
  EXPECT_EQ(explored.status, 1) << explored.text;
  std::string repeat = "  repeat: ";
  std::size_t at = explored.text.rfind(repeat);
  ASSERT_NE(at, std::string::npos) << explored.text;
  std::string command = explored.text.substr(at + repeat.size());
  command.resize(command.find('\n'));
  EXPECT_NE(explored.text.find("  drawn:  "), std::string::npos) << "nothing was made smaller";
  Process again({"sh", "-c", command});
  int status = again.await_exit();
  EXPECT_TRUE(status == 2 || status == 3) << command << "\n" << again.output();
  EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
}

TEST(Explore, EndsEarlyWithItsTable) {
  Process process({EXPLORE, "--minutes", "100", "--only", "sim raymond"});
  EXPECT_EQ(process.await_exit(Milliseconds(1500)), still_running) << process.output();
  process.send(SIGINT);
  EXPECT_EQ(process.await_exit(), 0) << process.output();
  EXPECT_NE(process.output().find("sim raymond"), std::string::npos);
}

TEST(Explore, WhatThereIsNotIsRefused) {
  EXPECT_EQ(explore({"--only", "no such family"}).status, 2);
  EXPECT_EQ(explore({"--jobs", "0"}).status, 2);
}

}  // namespace conch::explore_test
