// Tests the check of traces: processes hand over a lock with traces on, and one is killed; and
// doctored traces are caught.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <regex>

#include "shared_memory.hpp"
#include "shell.hpp"

namespace conch::trace_check_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t handovers_wanted = 1'000;
#else
constexpr std::uint64_t handovers_wanted = 5'000;
#endif

using Lines = std::vector<std::string>;

class TraceCheck : public Shell {
 protected:
  TraceCheck() : memory_(path("arena")) {}

  std::string trace(int number) const { return path("trace" + std::to_string(number)); }
  Process& worker(const Words& words = {}) {
    int number = ++workers_;
    Words all{PEER_WORKER, scratch.path(), std::to_string(number), "trace=" + trace(number)};
    all.insert(all.end(), words.begin(), words.end());
    return start(all);
  }
  Words traces() const {
    Words all;
    for (int number = 1; number <= workers_; ++number) all.push_back(trace(number));
    return all;
  }
  static Outcome check(const Words& files) {
    Words words{"trace", "check"};
    words.insert(words.end(), files.begin(), files.end());
    return run(words);
  }
  static void expect_end(Process& worker) {
    EXPECT_EQ(worker.await_exit(6 * patience), 0) << worker.output();
  }
  Lines read_trace(int number) const { return lines_of("trace" + std::to_string(number)); }

  /// Runs two peers to the end, so that both traces are complete.
  void run_two() {
    memory_->handovers_wanted = 200;
    memory_->ready_wanted = 2;
    Process& one = worker({"think"});
    Process& two = worker({"think"});
    expect_end(one);
    expect_end(two);
  }
  /// The result of the check if these lines replace the second peer's trace.
  Outcome check_with(const Lines& lines) {
    std::ofstream file(path("doctored"));
    for (const std::string& line : lines) file << line << '\n';
    file.close();
    return check({trace(1), path("doctored")});
  }
  /// Writes a trace as if by a machine whose clock is `hours` ahead.
  static void move(const Lines& lines, int hours, const std::string& file) {
    std::ofstream out(file);
    for (std::string line : lines) {
      std::size_t digits = std::string_view("{\"at\":").size();
      std::size_t end = line.find(',');
      std::int64_t at = std::stoll(line.substr(digits, end - digits));
      line.replace(digits, end - digits, std::to_string(at + hours * 3'600'000'000'000));
      std::size_t clock = line.find("\"detail\":\"clock ");
      if (clock != std::string::npos)
        line.replace(clock, line.find('}') - clock,
                     "\"detail\":\"clock " + std::to_string(hours) + "\"");
      out << line << '\n';
    }
  }
  /// The first line with this event after the first fifty.
  static Lines::iterator find(Lines& lines, std::string_view event) {
    std::string words = "\"event\":\"" + std::string(event) + "\"";
    return std::find_if(lines.begin() + 50, lines.end(), [&](const std::string& line) {
      return line.find(words) != std::string::npos;
    });
  }
  static void expect_caught(const Outcome& outcome, std::string_view what) {
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_TRUE(outcome.says(what)) << outcome.out;
    EXPECT_TRUE(std::regex_search(outcome.out, std::regex("doctored:[0-9]+: "))) << outcome.out;
  }

  testing::SharedMemoryFile memory_;
  int workers_ = 0;
};

TEST_F(TraceCheck, ThousandsOfHandoversAndAKill) {
  memory_->handovers_wanted = ~std::uint64_t{0};
  memory_->ready_wanted = 4;
  std::vector<Process*> living;
  for (int i = 0; i < 4; ++i) living.push_back(&worker());
  EXPECT_TRUE(await([&] { return memory_->handovers > handovers_wanted; }));
  living.front()->send(SIGKILL);
  EXPECT_EQ(living.front()->await_exit(), 128 + SIGKILL);
  memory_->handovers_wanted = memory_->handovers + handovers_wanted;
  for (Process* process : {living[1], living[2], living[3]}) expect_end(*process);
  Outcome outcome = check(traces());
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_TRUE(outcome.says("4 peers, ")) << outcome.out;
  EXPECT_TRUE(outcome.says("\n0 violations\n")) << outcome.out;
  EXPECT_TRUE(outcome.says("1 trace without an end")) << outcome.out;
}

/// The traces look as if each peer had a machine of its own, booted hours before or after the
/// others.
TEST_F(TraceCheck, OfSeveralMachines) {
  memory_->handovers_wanted = ~std::uint64_t{0};
  memory_->ready_wanted = 4;
  std::vector<Process*> all;
  for (int i = 0; i < 4; ++i) all.push_back(&worker());
  EXPECT_TRUE(await([&] { return memory_->handovers > 500; }));
  EXPECT_TRUE(await([&] { return !read_trace(2).empty(); }));  // lines are buffered for up to 50 ms
  all[1]->send(SIGKILL);
  EXPECT_EQ(all[1]->await_exit(), 128 + SIGKILL);
  memory_->handovers_wanted = memory_->handovers + 500;
  for (Process* process : {all[0], all[2], all[3]}) expect_end(*process);
  EXPECT_EQ(check(traces()).status, 0);
  const std::array<int, 4> hours{5, 0, 90, 30};
  Words moved;
  for (int number = 1; number <= 4; ++number) {
    moved.push_back(path("moved" + std::to_string(number)));
    move(read_trace(number), hours.at(static_cast<std::size_t>(number) - 1), moved.back());
  }
  Outcome outcome = check(moved);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_TRUE(outcome.says("4 peers, ")) << outcome.out;
  EXPECT_TRUE(outcome.says("\n0 violations\n")) << outcome.out;

  Lines lies = read_trace(1);
  lies.erase(find(lies, "exit"));
  move(lies, hours[0], path("doctored"));
  moved[0] = path("doctored");
  expect_caught(check(moved), "ME1 broken: lock arena: two holders: ");
}

TEST_F(TraceCheck, OverTcpWithElmpAndTwoLocks) {
  memory_->handovers_wanted = 300;
  memory_->ready_wanted = 3;
  std::vector<Process*> all;
  for (int i = 0; i < 3; ++i) all.push_back(&worker({"tcp", "two", "think", "algorithm=elmp"}));
  for (Process* process : all) expect_end(*process);
  Outcome outcome = check(traces());
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_TRUE(outcome.says("3 peers, 2 locks, ")) << outcome.out;
  EXPECT_TRUE(outcome.says("\n0 violations\n")) << outcome.out;
}

TEST_F(TraceCheck, EveryLieIsCaught) {
  run_two();
  const Lines lines = read_trace(2);
  EXPECT_EQ(check_with(lines).status, 0) << check_with(lines).out;

  Lines swapped = lines;
  auto enter = find(swapped, "enter");
  auto next = std::find_if(enter + 1, swapped.end(), [](const std::string& line) {
    return line.find("\"event\":\"enter\"") != std::string::npos;
  });
  std::swap(*enter, *next);
  expect_caught(check_with(swapped), "fences increase broken: lock arena: ");

  Lines same_fence = lines;
  enter = find(same_fence, "enter");
  next = std::find_if(enter + 1, same_fence.end(), [](const std::string& line) {
    return line.find("\"event\":\"enter\"") != std::string::npos;
  });
  *next = next->substr(0, next->find("\"detail\"")) + enter->substr(enter->find("\"detail\""));
  expect_caught(check_with(same_fence), "fences increase broken: lock arena: ");

  Lines no_exit = lines;
  no_exit.erase(find(no_exit, "exit"));
  expect_caught(check_with(no_exit), "ME1 broken: lock arena: two holders: ");

  Lines two_exits = lines;
  auto exit = find(two_exits, "exit");
  two_exits.insert(exit, std::string(*exit));
  expect_caught(check_with(two_exits), "leaves, but is not inside");

  Lines no_request = lines;
  no_request.erase(find(no_request, "request"));
  expect_caught(check_with(no_request), "enters, but has not asked");

  Lines invented = lines;
  auto receive = find(invented, "receive");
  std::string lie = std::regex_replace(*receive, std::regex("\"n\":[0-9]+"), "\"n\":99999");
  invented.insert(receive + 1, lie);
  expect_caught(check_with(invented), "receives a message that ");

  Lines twice = lines;
  receive = find(twice, "receive");
  twice.insert(receive, std::string(*receive));
  expect_caught(check_with(twice), " receives message ");

  Lines unfinished = lines;
  unfinished.resize(100);
  std::ofstream(path("cut")) << unfinished[0] << "\n" << unfinished[1] << "\n{\"at\":12,\"ev";
  Outcome outcome = check({path("cut")});
  EXPECT_TRUE(outcome.says("1 unfinished line")) << outcome.out;
}

TEST_F(TraceCheck, WhatProvesNothing) {
  Outcome outcome = run({"trace", "check", path("missing")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("missing cannot be read")) << outcome.out;
  std::ofstream(path("text")) << "hello\nworld\n";
  outcome = check({path("text")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("text is not a trace: line 1: ")) << outcome.out;
  Process& idle = ready_peer({"--trace", path("idle")});
  idle.send(SIGTERM);
  EXPECT_EQ(idle.await_exit(), 0) << idle.output();
  outcome = check({path("idle")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("nothing to check")) << outcome.out;
}

TEST_F(TraceCheck, ASimulatedRun) {
  std::string file = path("run.ndjson");
  EXPECT_EQ(run({"sim", "elmp", "--readers", "0.5", "--nodes", "5", "--trace", file}).status, 0);
  Outcome outcome = check({file});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_TRUE(outcome.says("5 peers, 1 lock, ")) << outcome.out;
  EXPECT_NE(run({"sim", "central", "--suspect", "holder@50ms", "--trace", file}).status, 0);
  outcome = check({file});
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_TRUE(outcome.says("ME1 broken: two holders: ")) << outcome.out;
}

}  // namespace conch::trace_check_test
