// A shell beside a group of peers, with `conch status` to look into the group.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shell.hpp"

namespace conch {

using nlohmann::json;

/// While this exists, what the test starts runs on another machine, as far as peers can see.
class Elsewhere {
 public:
  explicit Elsewhere(const std::string& folder) : before_(std::getenv("XDG_STATE_HOME")) {
    ::setenv("XDG_STATE_HOME", folder.c_str(), 1);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() { ::setenv("XDG_STATE_HOME", before_.c_str(), 1); }

 private:
  std::string before_;
};

/// The fixture of tests that use `conch status` to learn what happens.
class GroupShell : public Shell {
 protected:
  static json status() {
    Outcome outcome = run({"status", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    return json::parse(outcome.out);
  }
  static json member_of(const json& status, pid_t process) {
    for (const json& member : status["members"])
      if (member["process"] == process) return member;
    return {};
  }
  static std::uint64_t sum(const json& status, const std::string& field) {
    std::uint64_t total = 0;
    for (const json& member : status["members"]) total += member[field].get<std::uint64_t>();
    return total;
  }
  /// The one of these peers whose client holds the only lock that there is.
  static Process* host_of_the_holder(const std::vector<Process*>& peers) {
    json now = status();
    for (Process* peer : peers)
      for (const json& holder : now["locks"][0]["holders"])
        if (holder["member"] == member_of(now, peer->id())["id"]) return peer;
    return nullptr;
  }
  Process& holder_of(const std::string& name) {
    Process& holder = hold({name});
    EXPECT_TRUE(holder.await_output("in")) << holder.output();
    return holder;
  }
  /// Starts a command that waits for the lock, and returns when `conch status` shows that it waits.
  Process& waiter_for(const std::string& name) {
    std::size_t before = waiting_for(name);
    Process& waiter = hold({name});
    EXPECT_TRUE(await([&] { return waiting_for(name) > before; })) << waiter.output();
    return waiter;
  }
  static std::size_t waiting_for(const std::string& name) {
    std::size_t count = 0;
    json now = status();
    for (const json& lock : now["locks"]) {
      if (lock["lock"] != name) continue;
      count += lock["waiters"].size();
      for (const json& holder : lock["holders"]) count += holder["in_line"].get<std::size_t>();
    }
    return count;
  }
  /// The address at which the peer listens.
  static std::string address_of(Process& peer) {
    const std::string& log = peer.output();
    std::string words = "listens on ";
    std::size_t begin = log.find(words) + words.size();
    return log.substr(begin, log.find_first_of(", \n", begin) - begin);
  }
  void leave(Process& peer) {
    peer.send(SIGTERM);
    EXPECT_EQ(peer.await_exit(), 0) << peer.output();
  }
  static void expect_in(Process& process, Milliseconds within = patience) {
    EXPECT_TRUE(process.await_output("in ", within)) << process.output();
  }
  static void expect_end(Process& process) {
    process.finish_input();
    EXPECT_EQ(process.await_exit(), 0) << process.output();
  }
};

}  // namespace conch
