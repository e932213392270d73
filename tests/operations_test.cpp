// Tests docs/operations.md: runs all of its commands, in order, on three machines.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "rig/rig.hpp"

namespace conch::operations_test {

using namespace std::chrono_literals;

struct Command {
  std::size_t site = 0;
  std::string line;
};

/// Parses the commands of the page (`alpha$ conch status` and so on), in order.
std::vector<Command> commands_of(const std::string& page) {
  std::vector<Command> commands;
  std::ifstream file(page);
  for (std::string line; std::getline(file, line);)
    for (std::size_t site = 0; const char* prompt : {"alpha$ ", "beta$ ", "gamma$ "}) {
      if (line.starts_with(prompt)) commands.push_back({site, line.substr(std::strlen(prompt))});
      ++site;
    }
  return commands;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool await(const std::function<bool()>& has_come) {
  Stopwatch watch;
  while (!has_come() && watch.elapsed() < 60s) ::usleep(20'000);
  return has_come();
}

class OperationsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto missing = rig::missing_for_sites()) GTEST_SKIP() << *missing;
    if (std::system("command -v etcd >/dev/null") != 0)
      GTEST_SKIP() << "there is no etcd here: install etcd-server";
    rig_.emplace(3, 1);
    std::filesystem::create_directory(bin());
    std::filesystem::create_symlink(CONCH_COMMAND, bin() + "/conch");
    make_scp();
  }
  void TearDown() override {
    if (!rig_) return;
    for (std::size_t site = 0; site < rig_->size(); ++site)
      for (pid_t process : rig_->site(site).processes()) ::kill(process, SIGKILL);
  }

  std::string bin() const { return rig_->folder() + "/bin"; }
  std::string home(std::size_t site) const { return rig_->site(site).folder(); }

  /// Makes a `scp` that copies between the machines' folders, without a network, as the page needs
  /// it.
  void make_scp() {
    std::ofstream file(bin() + "/scp");
    file << "#!/bin/sh\nset -e\ncase $2 in\n"
         << "  beta:*) cp \"$1\" \"" << home(1) << "/${2#beta:}\" ;;\n"
         << "  gamma:*) cp \"$1\" \"" << home(2) << "/${2#gamma:}\" ;;\n"
         << "  *) echo \"where is $2?\" >&2; exit 1 ;;\nesac\n";
    file.close();
    ::chmod((bin() + "/scp").c_str(), 0700);
  }
  /// Replaces the addresses of the page by those of this run.
  std::string translated(std::string line) const {
    auto replace = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = line.find(from, at)) != line.npos; at += to.size())
        line.replace(at, from.size(), to);
    };
    EXPECT_EQ(rig_->site(0).address(), "10.77.1.1");
    replace("10.0.0.$n", "10.77.$n.1");
    for (std::size_t site = 0; site < 3; ++site)
      replace("10.0.0." + std::to_string(site + 1), rig_->site(site).address());
    return line;
  }
  Process& start(const Command& command) {
    std::string line = "export PATH=" + bin() + ":$PATH HOME=" + home(command.site) + "; cd; " +
                       translated(command.line);
    return rig_->start(command.site, {"sh", "-c", line});
  }
  bool await_word(std::size_t site, const std::string& file, const std::string& word) const {
    std::string path = home(site) + "/conch/" + file;
    return await([&] { return text_of(path).find(word) != std::string::npos; });
  }

  std::optional<rig::Rig> rig_;
};

TEST_F(OperationsTest, EveryCommandOfThePageWorks) {
  std::size_t etcds = 0;
  std::size_t entries = 0;
  std::vector<Command> commands = commands_of("docs/operations.md");
  for (const Command& command : commands) {
    bool is_peer = command.line.find("exec conch peer") != std::string::npos;
    if (is_peer) std::filesystem::remove(home(command.site) + "/conch/peer.log");
    Process& process = start(command);
    ASSERT_EQ(process.await_exit(60s), 0)
        << command.line << "\n"
        << process.output() << text_of(home(command.site) + "/conch/peer.log");
    if (process.output().find("in, with fence ") != std::string::npos) ++entries;
    // A user who follows the page would wait for this line.
    if (is_peer) {
      ASSERT_TRUE(await_word(command.site, "peer.log", "is in the group"))
          << text_of(home(command.site) + "/conch/peer.log");
    }
    bool is_last_etcd = command.line.find("exec etcd") != std::string::npos && ++etcds == 3;
    for (std::size_t site = 0; is_last_etcd && site < 3; ++site)
      ASSERT_TRUE(await_word(site, "etcd.log", "ready to serve client requests"))
          << text_of(home(site) + "/conch/etcd.log");
  }
  EXPECT_EQ(etcds, 3u);
  EXPECT_EQ(entries, 5u);
  EXPECT_GT(commands.size(), 20u);
}

}  // namespace conch::operations_test
