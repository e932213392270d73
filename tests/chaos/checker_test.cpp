// Tests what the checker accepts and what it reports, with histories written by hand.
#include "chaos/checker.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace chaos::checker_test {

/// Checks a history of lines without times, which are put a second apart.
Verdict read(const std::vector<std::string>& lines, const Terms& terms = {0.5, 1}) {
  std::stringstream history;
  std::uint64_t at = 0;
  for (const std::string& line : lines) history << (at += 1'000'000'000) << " " << line << "\n";
  return check(history, terms);
}

void expect_wrong(const std::vector<std::string>& lines, const std::string& what) {
  Verdict verdict = read(lines);
  ASSERT_EQ(verdict.complaints.size(), 1u) << what;
  EXPECT_NE(verdict.complaints[0].find(what), std::string::npos) << verdict.complaints[0];
}

/// The lines of a whole section at a lock without data.
std::vector<std::string> section(const std::string& who, const std::string& fence,
                                 const std::string& value) {
  return {who + " want a",
          who + " enter a " + fence + " yes",
          who + " write a " + fence + " " + value + " yes",
          who + " still a " + fence,
          who + " leave a " + fence + " held yes",
          who + " left a " + fence + " ok"};
}
/// The lines of a section that found and wrote data.
std::vector<std::string> data_section(const std::string& who, const std::string& fence,
                                      const std::string& found, const std::string& count) {
  std::vector<std::string> lines = section(who, fence, count);
  lines[1] = who + " enter a " + fence + " " + found + " whole yes";
  return lines;
}
std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(ChaosChecker, BelievesWhatIsRight) {
  Verdict verdict = read(section("0.1", "5", "1") + section("1.1", "6", "2") +
                         section("1.1", "7", "3") + section("0.1", "9", "4"));
  EXPECT_TRUE(verdict.is_good());
  EXPECT_EQ(verdict.entries, 4u);
  EXPECT_EQ(verdict.handovers, 3u);
}

TEST(ChaosChecker, CountsALateWriteAndDoesNotMind) {
  Verdict verdict =
      read(std::vector<std::string>{"0.1 want a", "0.1 enter a 5 yes", "rig fault stop 0"} +
           section("1.1", "6", "1") +
           std::vector<std::string>{"rig heal stop 0", "0.1 write a 5 1 no", "0.1 still a 5",
                                    "0.1 leave a 5 lost no", "0.1 left a 5 lost", "0.1 out"});
  EXPECT_TRUE(verdict.is_good());
  EXPECT_EQ(verdict.refused, 2u);
  EXPECT_EQ(verdict.put_out, 1u);
  EXPECT_EQ(verdict.faults["stop"], 1u);
  EXPECT_EQ(verdict.recoveries_seconds, std::vector{2.0});
}

TEST(ChaosChecker, OneFenceForTwo) {
  expect_wrong({"0.1 want a", "1.1 want a", "0.1 enter a 5 yes", "0.1 left a 5 ok",
                "1.1 enter a 5 yes", "1.1 left a 5 ok"},
               "which was another's");
}

TEST(ChaosChecker, AnEntryOlderThanItsWish) {
  expect_wrong(section("0.1", "6", "1") +
                   std::vector<std::string>{"1.1 want a", "1.1 enter a 5 no", "1.1 left a 5 lost"},
               "and had asked when");
}

TEST(ChaosChecker, ALedgerThatTakesAnOlderFence) {
  expect_wrong(
      {"0.1 want a", "1.1 want a", "0.1 enter a 6 yes", "0.1 left a 6 ok", "1.1 enter a 5 yes"},
      "was accepted with an older fence");
}

TEST(ChaosChecker, TwoHolders) {
  expect_wrong({"0.1 want a", "1.1 want a", "0.1 enter a 5 yes", "1.1 enter a 6 yes",
                "0.1 still a 5", "0.1 leave a 5 held no", "1.1 left a 6 ok"},
               "has the lock, and so has another");
  Verdict asked_before = read({"0.1 want a", "1.1 want a", "0.1 enter a 5 yes", "0.1 still a 5",
                               "1.1 enter a 6 yes", "0.1 leave a 5 held no"});
  EXPECT_TRUE(asked_before.is_good()) << "it may have lost it in between";
}

TEST(ChaosChecker, AHolderThatIsRefused) {
  expect_wrong({"0.1 want a", "1.1 want a", "0.1 enter a 6 yes", "0.1 left a 6 ok",
                "1.1 enter a 5 no", "1.1 still a 5", "1.1 leave a 5 held no"},
               "was refused with fence 0.5 and has the lock");
}

TEST(ChaosChecker, AnUpdateThatIsLost) {
  expect_wrong(section("0.1", "5", "1") + section("1.1", "6", "1"),
               "wrote over what another had written");
}

TEST(ChaosChecker, AWaiterThatIsStuck) {
  expect_wrong({"0.1 want a", "rig calm", "rig end"}, "has waited for 2 s and waits still");
  EXPECT_TRUE(read({"0.1 want a", "0.1 quit a", "1.1 want a", "1.1 died", "rig end"}).is_good());
}

TEST(ChaosChecker, DataThatAreLost) {
  std::vector<std::string> lines = data_section("0.1", "5", "0 0", "1") +
                                   data_section("1.1", "6", "5 1", "2") +
                                   std::vector<std::string>{"rig fault kill 1", "1.1 died"};
  Verdict kept = read(lines + data_section("2.1", "7", "6 2", "3"));
  EXPECT_TRUE(kept.is_good());
  EXPECT_EQ(kept.data_found, 2u);
  std::vector<std::string> older = data_section("2.1", "7", "5 1", "2");
  expect_wrong(lines + older, "had been promised that those of fence 0.6 would stay");
  Verdict excused = read(lines + std::vector<std::string>{"rig fault kill 0", "0.1 died"} + older);
  EXPECT_TRUE(excused.is_good()) << "two at once may have been all who had them";
  EXPECT_EQ(excused.data_excused, 1u);
}

TEST(ChaosChecker, DataThatNobodyWrote) {
  expect_wrong(data_section("0.1", "5", "0 0", "1") + data_section("1.1", "6", "5 7", "8"),
               "found data that nobody had written");
  expect_wrong({"0.1 want a", "0.1 enter a 5 0 0 torn yes", "0.1 left a 5 ok"},
               "found data that are torn");
}

}  // namespace chaos::checker_test
