#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "chaos/ledger_link.hpp"
#include "net/scratch_folder.hpp"
#include "process.hpp"

namespace conch::chaos::ledger_test {

using Lines = std::vector<std::string>;

class Ledger : public ::testing::Test {
 protected:
  Ledger() { EXPECT_TRUE(ledger_.await_output("ready")); }

  /// Everything that the ledger has heard of this life, without times.
  Lines history_of(const std::string& who) const {
    // The ledger reads what was there first before it reads the second of these.
    for (int round = 0; round < 2; ++round) LedgerLink(socket_, "rig").say("look");
    Lines lines;
    std::ifstream file(history_);
    for (std::string line; std::getline(file, line);)
      if (line.find(" " + who + " ") != line.npos)
        lines.push_back(line.substr(line.find(who) + who.size() + 1));
    return lines;
  }

  ScratchFolder folder_;
  std::string socket_ = folder_.file("socket");
  std::string history_ = folder_.file("history");
  Process ledger_{{CHAOS_LEDGER, socket_, history_}};
};

TEST_F(Ledger, HearsAllThatAWorkerSaidBeforeItDied) {
  pid_t worker = ::fork();
  if (worker == 0) {
    LedgerLink first(socket_, "0.1"), second(socket_, "0.1");
    ledger_.send(SIGSTOP);
    first.tell("want alpha");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(worker, nullptr, 0);
  ledger_.send(SIGCONT);
  EXPECT_EQ(history_of("0.1"), (Lines{"came", "came", "want alpha", "died"}));
}

TEST_F(Ledger, AWorkerThatSaysByeDoesNotDie) {
  { LedgerLink link(socket_, "1.1"); }
  EXPECT_EQ(history_of("1.1"), Lines{"came"});
}

}  // namespace conch::chaos::ledger_test
