// Tests what `conch peer` writes to standard error, and in which format.
#include "cli/peer_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "group_shell.hpp"

namespace conch::peer_log_test {

using cli::LogFields;
using cli::LogFormat;

/// Whether $JOURNAL_STREAM names the standard error of the peer, or another file.
enum class Journal : bool { elsewhere, here };

class PeerLogTest : public GroupShell {
 protected:
  ~PeerLogTest() override { logging_.clear(); }

  Process& peer_under(Journal journal, Words words = {}) {
    words.insert(words.begin(), {CONCH_COMMAND, "peer"});
    return logging_.emplace_back(std::move(words), [journal] {
      struct stat file {};
      ::fstat(STDERR_FILENO, &file);
      std::string inode = std::to_string(file.st_ino + (journal == Journal::here ? 0 : 1));
      ::setenv("JOURNAL_STREAM", (std::to_string(file.st_dev) + ":" + inode).c_str(), 1);
    });
  }
  static std::vector<std::string> lines_in(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  /// The log of a peer that joins, is evicted, joins again and leaves.
  std::vector<std::string> lines_of_a_life(Process& peer) {
    EXPECT_TRUE(peer.await_output("is in the group")) << peer.output();
    ready_peer();
    std::string id = member_of(status(), peer.id())["id"];
    EXPECT_EQ(run({"evict", id}).status, 0);
    EXPECT_TRUE(peer.await_output("is in the group again")) << peer.output();
    leave(peer);
    return lines_in(peer.output());
  }

 private:
  std::list<Process> logging_;
};

TEST_F(PeerLogTest, TheJournalIsToldPrioritiesAndNoTimes) {
  std::vector<std::string> lines = lines_of_a_life(peer_under(Journal::here, {"--lease", "1s"}));
  ASSERT_GE(lines.size(), 4u);
  EXPECT_TRUE(lines[0].starts_with("<6>peer ")) << lines[0];
  std::size_t errors = 0;
  for (const std::string& line : lines) {
    EXPECT_TRUE(line.starts_with("<") && line.find('>') == 2) << line;
    EXPECT_EQ(line.find("Z "), line.npos) << line;
    if (line ==
        "<3>was out of contact for too long, or was evicted: the locks that it held are lost")
      ++errors;
  }
  EXPECT_EQ(errors, 1u);
  std::string end = "<6>leaving the group; a second signal ends the process at once";
  EXPECT_EQ(std::count(lines.begin(), lines.end(), end), 1);
}

TEST_F(PeerLogTest, AnotherStreamIsNotTheJournal) {
  Process& peer = peer_under(Journal::elsewhere);
  ASSERT_TRUE(peer.await_output("is in the group")) << peer.output();
  leave(peer);
  for (const std::string& line : lines_in(peer.output()))
    EXPECT_EQ(line.find("Z "), std::string("2026-01-02T03:04:05.678").size()) << line;
}

TEST_F(PeerLogTest, EveryLineIsAnObjectIfThatIsWanted) {
  std::vector<std::string> lines =
      lines_of_a_life(peer_under(Journal::here, {"--lease", "1s", "--log-format", "json"}));
  ASSERT_GE(lines.size(), 4u);
  for (const std::string& line : lines) {
    json object = json::parse(line, nullptr, false);
    ASSERT_TRUE(object.is_object()) << line;
    EXPECT_EQ(object["time"].get<std::string>().size(), 24u) << line;
    EXPECT_EQ(object["group"], "default");
    EXPECT_EQ(object["peer"], json::parse(lines[0])["peer"]);
    bool is_loss = object["message"].get<std::string>().find("are lost") != std::string::npos;
    EXPECT_EQ(object["level"] == "error", is_loss) << line;
  }
}

TEST_F(PeerLogTest, WhatAPeerFailsWithIsALineLikeTheOthers) {
  Process& journal = peer_under(Journal::here, {"--lease", "0"});
  EXPECT_EQ(journal.await_exit(), 1);
  EXPECT_EQ(journal.output(), "<3>--lease: a lease is longer than zero, such as 5s or 500ms\n");
  Process& object = peer_under(Journal::here, {"--lease", "0", "--log-format", "json"});
  EXPECT_EQ(object.await_exit(), 1);
  EXPECT_EQ(json::parse(object.output())["level"], "error");
  Outcome text = run({"peer", "--lease", "0"});
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.out, "conch: --lease: a lease is longer than zero, such as 5s or 500ms\n");
}

TEST_F(PeerLogTest, AnotherFormatIsRefused) {
  Outcome outcome = run({"peer", "--log-format", "xml"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("--log-format: \"xml\" is neither text nor json")) << outcome.out;
}

TEST(PeerLogText, IsOneLineWhateverItSays) {
  cli::LogClock::time_point time{std::chrono::milliseconds(1'234)};
  LogLine line{LogLevel::warning, "two\nlines, \"quoted\" \xff"};
  EXPECT_EQ(cli::log_text(LogFormat::text, {}, time, line),
            "1970-01-01T00:00:01.234Z two lines, \"quoted\" \xff\n");
  EXPECT_EQ(cli::log_text(LogFormat::journal, {}, time, line), "<4>two lines, \"quoted\" \xff\n");
  EXPECT_EQ(cli::log_text(LogFormat::json, {"orders", ""}, time, line),
            "{\"time\":\"1970-01-01T00:00:01.234Z\",\"level\":\"warning\",\"group\":\"orders\","
            "\"message\":\"two\\nlines, \\\"quoted\\\" \xef\xbf\xbd\"}\n");
  EXPECT_EQ(cli::log_text(LogFormat::json, {"orders", "8407ed"}, time, {LogLevel::info, "x"}),
            "{\"time\":\"1970-01-01T00:00:01.234Z\",\"level\":\"info\",\"group\":\"orders\","
            "\"peer\":\"8407ed\",\"message\":\"x\"}\n");
}

TEST(PeerLogText, GoesToTheJournalIfBothNumbersAreRight) {
  struct stat file {};
  file.st_dev = 10;
  file.st_ino = 42;
  EXPECT_TRUE(cli::is_journal_stream("10:42", file));
  for (const char* other : {"10:43", "11:42", "10:4", "10:42 ", ""})
    EXPECT_FALSE(cli::is_journal_stream(other, file)) << other;
  EXPECT_FALSE(cli::is_journal_stream(nullptr, file));
}

}  // namespace conch::peer_log_test
