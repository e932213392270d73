// Tests that users learn who holds a lock: when they fail to get it, while they wait for it, and
// when they ask for the group's status.
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <regex>

#include "group_shell.hpp"

namespace conch::lock_holder_test {

class LockHolderTest : public GroupShell {
 protected:
  static std::string host() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
  }
  /// The holder as a command that does not get the lock names it, without the duration.
  static std::string holder_text(Process& member, Process& holder) {
    std::string id = member_of(status(), member.id())["id"].get<std::string>().substr(0, 6);
    return id + " on " + host() + " (pid " + std::to_string(holder.id()) +
           ", sh -c echo in $CONCH_FENCE; cat, for ";
  }
  static std::size_t count(const std::string& text, const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++found;
    return found;
  }
  void expect_named(Process& member, Process& holder) {
    for (const Words& patience : {Words{"--try"}, Words{"--timeout", "50ms"}}) {
      Words words{"lock", "deploy"};
      words.insert(words.end(), patience.begin(), patience.end());
      words.insert(words.end(), {"--", "true"});
      Outcome refused = run(words);
      EXPECT_EQ(refused.status, 75) << refused.out;
      EXPECT_TRUE(refused.says("conch: deploy was not obtained: it is held by " +
                               holder_text(member, holder)))
          << refused.out;
      EXPECT_TRUE(std::regex_search(refused.out, std::regex("for [0-9.]+ s\\)\n"))) << refused.out;
    }
  }
  static json process_of(const json& status, pid_t process) {
    for (const json& each : status["processes"])
      if (each["process"] == process) return each;
    return {};
  }
  static std::string user() {
    const passwd* entry = ::getpwuid(::getuid());  // NOLINT(concurrency-mt-unsafe)
    return entry ? entry->pw_name : std::to_string(::getuid());
  }
};

TEST_F(LockHolderTest, WhoDoesNotObtainItThroughAPeerIsToldWhoHasIt) {
  Process& peer = ready_peer();
  Process& holder = holder_of("deploy");
  expect_named(peer, holder);
  expect_end(holder);
}

TEST_F(LockHolderTest, WhoIsAPeerItselfIsToldWhoHasIt) {
  Process& holder = holder_of("deploy");
  expect_named(holder, holder);
  expect_end(holder);
}

TEST_F(LockHolderTest, TheHolderMayBeOnAnotherMachine) {
  Process& here = ready_peer({"--listen", "127.0.0.1:0"});
  Process* there = nullptr;
  Process* holder = nullptr;
  {
    Elsewhere elsewhere(path("elsewhere"));
    there = &ready_peer({"--listen", "127.0.0.1:0", "--join", address_of(here)});
    holder = &holder_of("deploy");
  }
  expect_named(*there, *holder);
  // A member that does not answer cannot be named, and commands do not wait for it for long.
  there->send(SIGSTOP);
  Outcome refused = run({"lock", "deploy", "--try", "--", "true"});
  EXPECT_EQ(refused.status, 75) << refused.out;
  EXPECT_TRUE(refused.says("its holder is unknown: 1 of the members did not answer"))
      << refused.out;
  there->send(SIGCONT);
}

TEST_F(LockHolderTest, AMemberOfTheReleaseBeforeIsNotAsked) {
  ready_peer();
  Process& former = start({FORMER_HOLDER});
  expect_in(former);
  Outcome refused = run({"lock", "deploy", "--try", "--", "true"});
  EXPECT_EQ(refused.status, 75) << refused.out;
  EXPECT_TRUE(refused.says("its holder is unknown: 1 of the members did not answer"))
      << refused.out;
  EXPECT_EQ(status()["members"].size(), 2u) << "and is not put out for not understanding";
  expect_end(former);
}

TEST_F(LockHolderTest, TheWordsOfACommandDoNotReachTheTerminal) {
  ready_peer();
  std::string words = "echo in 1; cat; : '\x1b[2J\nsecond line " + std::string(1000, 'x') + "'";
  Process& holder = lock({"deploy"}, words);
  expect_in(holder);
  Outcome refused = run({"lock", "deploy", "--try", "--", "true"});
  EXPECT_TRUE(refused.says("sh -c echo in 1; cat; : ' [2J second line xxx")) << refused.out;
  EXPECT_EQ(count(refused.out, "\n"), 1u) << refused.out;
  EXPECT_LT(refused.out.size(), 400u) << refused.out;
  expect_end(holder);
}

TEST_F(LockHolderTest, ThoseWhoShareALockAreAllNamed) {
  ready_peer({"--algorithm", "elmp"});
  std::vector<Process*> readers;
  for (int i = 0; i < 5; ++i) {
    readers.push_back(&hold({"deploy", "--shared"}));
    expect_in(*readers.back());
  }
  Outcome refused = run({"lock", "deploy", "--try", "--", "true"});
  EXPECT_EQ(count(refused.out, ", shared, for "), 3u) << refused.out;
  EXPECT_TRUE(refused.says(" and 2 more\n")) << refused.out;
  for (Process* reader : readers) expect_end(*reader);
}

TEST_F(LockHolderTest, WhoWaitsIsToldForWhomButNotAgainAndAgain) {
  for (bool hosted : {false, true}) {
    if (hosted) ready_peer();
    Process& first = holder_of("deploy");
    Process& second = waiter_for("deploy");
    Process& third = hold({"deploy", "--verbose"});
    auto line_for = [](Process& holder) { return "(pid " + std::to_string(holder.id()) + ", "; };
    ASSERT_TRUE(third.await_output(line_for(first))) << third.output();
    expect_end(first);
    ASSERT_TRUE(third.await_output(line_for(second))) << third.output();
    EXPECT_TRUE(third.output().find("waiting for deploy, held by ") != std::string::npos);
    // It asks a few more times meanwhile and gets the same answer.
    EXPECT_FALSE(third.await_output("obtained ", Milliseconds(2200))) << third.output();
    EXPECT_EQ(count(third.output(), "waiting for deploy"), 2u) << third.output();
    expect_end(second);
    EXPECT_TRUE(third.await_output("obtained ")) << third.output();
    // Queries during the wait must not look like a loss of the lock.
    expect_end(third);
  }
}

TEST_F(LockHolderTest, TheStatusShowsTheClientsOfAPeer) {
  Process& peer = ready_peer();
  Process& holder = holder_of("deploy");
  Process& waiter = waiter_for("deploy");
  json now = status();
  EXPECT_EQ(now["processes"].size(), 2u) << now;
  json one = process_of(now, holder.id());
  EXPECT_EQ(one["member"], member_of(now, peer.id())["id"]);
  EXPECT_EQ(one["host"], host());
  EXPECT_EQ(one["user"], user());
  EXPECT_EQ(one["command"], "sh -c echo in $CONCH_FENCE; cat");
  ASSERT_EQ(one["locks"].size(), 1u);
  EXPECT_EQ(one["locks"][0]["lock"], "deploy");
  EXPECT_EQ(one["locks"][0]["holds"], true);
  EXPECT_GT(one["locks"][0]["since_s"], 0);
  EXPECT_EQ(process_of(now, waiter.id())["locks"][0]["holds"], false);
  std::string text = run({"status"}).out;
  auto row = [&](Process& process, const std::string& has) {
    return std::regex("\n" + std::to_string(process.id()) + " +" + user() +
                      " +[0-9a-f]+ +deploy +" + has + " +[0-9.]+ s +sh -c echo in");
  };
  EXPECT_TRUE(std::regex_search(text, row(holder, "yes"))) << text;
  EXPECT_TRUE(std::regex_search(text, row(waiter, "waits"))) << text;
  expect_end(holder);
  expect_end(waiter);
  EXPECT_TRUE(status()["processes"].empty());
}

TEST_F(LockHolderTest, TheStatusShowsPeersThatHoldThemselves) {
  Process& holder = holder_of("deploy");
  json one = process_of(status(), holder.id());
  EXPECT_EQ(one["command"], "sh -c echo in $CONCH_FENCE; cat") << status();
  expect_end(holder);
}

}  // namespace conch::lock_holder_test
