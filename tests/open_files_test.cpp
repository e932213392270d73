// Tests the limit on open files: a client beyond it is refused with a message, and the others do
// not notice.
#include <list>

#include "group_shell.hpp"
#include "net/client_link.hpp"
#include "node/talk.hpp"

namespace conch::open_files_test {

class OpenFilesTest : public GroupShell {
 protected:
  static constexpr const char* sentence =
      "clients already, as many as its limit of open files allows; raise `ulimit -n`";

  /// Runs `conch` with these words in a shell with this limit on open files.
  Process& conch_with(const std::string& limit, Words words) {
    words.insert(words.begin(),
                 {"sh", "-c", "ulimit " + limit + " && exec \"$@\"", "sh", CONCH_COMMAND});
    return start(std::move(words));
  }
  Process& peer_with_few_files() {
    Process& peer = conch_with("-n 64", {"peer", "--lease", "1s"});
    EXPECT_TRUE(peer.await_output("is in the group")) << peer.output();
    return peer;
  }
  /// Asks for a lock of its own, as `conch lock` does. Returns the peer's answer.
  std::string come_in() {
    net::ClientLink& link = links_.emplace_back(sockets().front(), "default");
    std::string bytes;
    encode(bytes, node::ClientMessage(node::Acquire{1, std::to_string(links_.size()), false, {}}));
    link.send(bytes);
    std::optional<std::string> answer = link.receive(net::steady_now() + std::chrono::seconds(10));
    std::string why;
    auto reply = node::unpacked<node::ClientReply>(answer.value_or(""), why);
    if (!reply) return "no answer: " + why;
    if (const auto* refused = std::get_if<node::NotEntered>(&*reply)) return refused->why;
    return std::holds_alternative<node::Entered>(*reply) ? "in" : "something else";
  }
  static std::string soft_limit(const Process& process) {
    std::istringstream limits(text_of("/proc/" + std::to_string(process.id()) + "/limits"));
    std::string soft, words = "Max open files";
    for (std::string line; std::getline(limits, line);)
      if (line.starts_with(words)) std::istringstream(line.substr(words.size())) >> soft;
    return soft;
  }

  std::list<net::ClientLink> links_;
};

TEST_F(OpenFilesTest, MoreClientsThanTheLimitAllowsCostNobodyItsLock) {
  Process& peer = peer_with_few_files();
  Process& holder = holder_of("deploy");
  std::vector<std::string> answers;
  for (int i = 0; i < 100; ++i) try {
      answers.push_back(come_in());
    } catch (const Error& error) {
      answers.emplace_back(error.what());
    }
  auto served = std::count(answers.begin(), answers.end(), "in");
  EXPECT_GE(served, 4);
  for (std::size_t i = static_cast<std::size_t>(served); i < answers.size(); ++i)
    EXPECT_NE(answers[i].find(sentence), std::string::npos) << answers[i];
  // This takes several leases.
  EXPECT_EQ(holder.await_exit(Milliseconds(3500)), still_running) << holder.output();
  EXPECT_EQ(peer.output().find("lost"), std::string::npos) << peer.output();
  Outcome late = run({"lock", "other", "--", "true"});
  EXPECT_EQ(late.status, 69) << late.out;
  EXPECT_TRUE(late.says(sentence)) << late.out;
  links_.clear();
  EXPECT_TRUE(await([&] { return run({"lock", "other", "--", "true"}).status == 0; }));
  expect_end(holder);
}

/// `conch status` is answered even if no further lock client is let in.
TEST_F(OpenFilesTest, WhoLooksInIsServedWhenNobodyElseIs) {
  peer_with_few_files();
  while (come_in() == "in") {
  }
  EXPECT_EQ(run({"status"}).status, 0);
  EXPECT_EQ(status()["members"][0]["clients"], links_.size() + 1) << "and who looks";
}

TEST_F(OpenFilesTest, ProgramsTakeAllThatTheyMayHaveAndGiveTheirCommandsWhatTheyWereGiven) {
  Process& peer = conch_with("-Sn 100 && ulimit -Hn 400", {"peer"});
  EXPECT_TRUE(peer.await_output("is in the group")) << peer.output();
  EXPECT_EQ(soft_limit(peer), "400");
  for (const char* group : {"default", "own"}) {
    Process& holder = conch_with(
        "-Sn 100 && ulimit -Hn 400",
        {"lock", "deploy", "--group", group, "--", "sh", "-c", "echo limit $(ulimit -Sn); cat"});
    EXPECT_TRUE(holder.await_output("limit 100\n")) << holder.output();
    EXPECT_EQ(soft_limit(holder), "400");
    expect_end(holder);
  }
}

}  // namespace conch::open_files_test
