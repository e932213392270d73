#include "explore/draw.hpp"

#include <gtest/gtest.h>

#include <set>

#include "explore/families.hpp"

namespace conch::explore::draw_test {

constexpr int draws = 500;

std::set<std::string> names() {
  std::set<std::string> all;
  for (const Family& family : families({"conch", "chaos", {"build/fuzz_frames"}}, Whose::real))
    all.insert(family.name);
  return all;
}

/// A new algorithm is in the families without further work.
TEST(ExploreFamilies, HaveEverythingInTheCatalogue) {
  std::set<std::string> all = names();
  for (const CatalogEntry& entry : catalog()) {
    if (!entry.about.is_sound()) continue;
    for (const char* command : {"sim ", "check ", "survive ", "check --recovery "})
      EXPECT_TRUE(all.contains(command + std::string(entry.about.name))) << entry.about.name;
  }
  for (const CatalogEntry& entry : elections()) {
    bool is_real = entry.about.is_sound();
    EXPECT_EQ(all.contains("sim " + std::string(entry.about.name)), is_real) << entry.about.name;
  }
  for (const CatalogEntry& entry : protocols())
    for (const char* command : {"sim ", "check ", "survive "})
      EXPECT_TRUE(all.contains(command + std::string(entry.about.name))) << entry.about.name;
  EXPECT_TRUE(all.contains("fuzz_frames"));
  EXPECT_TRUE(all.contains("chaos elmp, files"));
  EXPECT_FALSE(all.contains("sim naimi-trehel@idle-owner"));
}

TEST(ExploreDraw, WhatIsPromisedOnlyInOrderIsNotOvertaken) {
  const std::set<std::string> linked{"--lose",      "--duplicate",         "--storm",
                                     "--partition", "--partition-one-way", "--link"};
  Random random(1);
  for (const CatalogEntry& entry : catalog())
    for (int i = 0; i < draws; ++i) {
      Task task = draw_simulation(entry, random);
      if (!task.find("--channel")) continue;
      bool needs_order = entry.about.needs_fifo ||
                         (entry.about.leave_needs_fifo && task.find("--churn") != nullptr);
      bool has_link = false;
      for (const Option& option : task.options) has_link |= linked.contains(option.name);
      EXPECT_TRUE(!needs_order || has_link) << command_of(words_of(task, 1));
    }
}

/// Every option that may be drawn is drawn, and equal random numbers draw equal options.
TEST(ExploreDraw, DrawsAllOptions) {
  Random random(1), again(1);
  std::set<std::string> drawn;
  for (const CatalogEntry& entry : catalog())
    for (int i = 0; i < draws; ++i) {
      Task task = draw_simulation(entry, random);
      EXPECT_EQ(task, draw_simulation(entry, again));
      for (const Option& option : task.options) drawn.insert(option.name);
    }
  for (const char* name : {"--nodes",         "--clusters",
                           "--sites",         "--voting",
                           "--order",         "--eps",
                           "--balance",       "--requests",
                           "--hold",          "--think",
                           "--readers",       "--ranges",
                           "--cancel",        "--churn",
                           "--chatter",       "--latency",
                           "--local-latency", "--remote-latency",
                           "--site-latency",  "--channel",
                           "--link",          "--lose",
                           "--duplicate",     "--clog",
                           "--drift",         "--pause",
                           "--partition",     "--partition-one-way",
                           "--storm"})
    EXPECT_TRUE(drawn.contains(name)) << name;
}

}  // namespace conch::explore::draw_test
