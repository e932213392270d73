#include "simgrid/handover.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "sim/distribution.hpp"
#include "simgrid/child.hpp"

namespace conch::simgrid::handover_test {

using namespace std::chrono_literals;
using sim::handover::Measured;
using sim::handover::Workload;

Workload saturated(std::string_view algorithm) {
  Workload workload;
  workload.algorithm = algorithm;
  workload.peers = 9;
  workload.cycles = 8;
  workload.bytes = 1 << 20;
  workload.wires = sim::Grid{};
  return workload;
}

void expect_agreement(const Workload& workload) {
  Measured ours = sim::handover::run(workload);
  Measured theirs = run_on_simgrid(workload);
  ASSERT_GT(ours.steady.cycles, 10u);
  EXPECT_NEAR(theirs.steady.dho_s, ours.steady.dho_s, 0.05 * ours.steady.dho_s);
  EXPECT_NEAR(theirs.steady.wait_s, ours.steady.wait_s, 0.05 * ours.steady.wait_s);
  EXPECT_NEAR(theirs.steady.blocking_s, ours.steady.blocking_s, 0.05 * ours.steady.blocking_s);
  EXPECT_NEAR(theirs.steady.fetch_s, ours.steady.fetch_s, 0.05 * ours.steady.fetch_s);
  EXPECT_EQ(theirs.all.cycles, ours.all.cycles);
}

TEST(SimGrid, AgreesWithTheSimulatorPeerToPeer) { expect_agreement(saturated("naimi-trehel")); }

TEST(SimGrid, AgreesWithTheSimulatorOnAServer) { expect_agreement(saturated("central")); }

TEST(SimGrid, AgreesWithTheSimulatorWhilePeersComeAndGo) {
  Workload workload = saturated("naimi-trehel");
  workload.churners = 3;
  workload.locked = 100ms;
  workload.first_wait = workload.second_wait = 200ms;
  expect_agreement(workload);
}

TEST(SimGrid, NeedsAGrid) {
  Workload workload = saturated("central");
  workload.wires = sim::Uniform{};
  EXPECT_THROW(run_on_simgrid(workload), BadText);
}

TEST(Children, AnswerInTheirOrderAndAreGone) {
  auto answer = [](std::size_t index) { return std::string(100'000 + index, 'x'); };
  std::vector<std::string> answers = in_children(7, answer);
  ASSERT_EQ(answers.size(), 7u);
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], answer(i));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_TRUE(in_children(0, answer).empty());
}

std::string complaint_about(const std::function<std::string()>& f, std::chrono::seconds limit) {
  try {
    in_children(
        3, [&](std::size_t index) { return index == 1 ? f() : "all right"; }, limit);
  } catch (const ChildFailed& failure) {
    return failure.what();
  }
  return "";
}

TEST(Children, SayWhatWentWrong) {
  auto throws = []() -> std::string { throw std::runtime_error("no way"); };
  EXPECT_EQ(complaint_about(throws, 60s), "no way");
  auto dies = []() -> std::string { std::_Exit(3); };
  EXPECT_EQ(complaint_about(dies, 60s),
            "the process that ran it ended with status 3 and said nothing");
  auto hangs = []() -> std::string {
    while (true) pause();
  };
  EXPECT_EQ(complaint_about(hangs, 1s), "not done after 1 s of real time");
}

}  // namespace conch::simgrid::handover_test
