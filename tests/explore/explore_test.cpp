// The program itself, for some seconds.
#include <gtest/gtest.h>

#include <filesystem>

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

/// Without chaos and what the machine would be too slow for.
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

/// A specimen is found, made smaller, and found again by the command that was printed.
TEST(Explore, WhatWasPlantedIsFoundShrunkAndRepeated) {
  std::string folder = (std::filesystem::temp_directory_path() / "conch-explore.XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  Explored explored = explore({"--minutes", "0.1", "--specimens", "--only",
                               "sim naimi-trehel@idle-owner", "--folder", folder});
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
  EXPECT_FALSE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
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
