#include "overlap.hpp"

#include <array>
#include <conch/data.hpp>
#include <cstring>
#include <thread>

#include "conch_options.hpp"
#include "machine.hpp"
#include "outcome.hpp"
#include "shared.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;
using Nanoseconds = std::chrono::duration<double, std::nano>;

constexpr auto patience = 120s;
constexpr std::size_t samples_max = 256;
/// Cycles of each process that are not counted: until its memory is there and all are in step.
constexpr int cycles_before = 6;
/// Of the wait without work. The queue is empty at the last two.
constexpr std::array work_shares{0.0, 0.5, 1.5, 3.0};

struct Sample {
  std::uint64_t wait_ns = 0;
  std::uint64_t blocking_ns = 0;
};

struct Account {
  std::size_t count = 0;
  std::array<Sample, samples_max> samples;
};

struct Board {
  Gauge begun;
  /// Of who fetches alone.
  Gauge turn;
  Gauge over;
  std::array<Account, overlap_processes> accounts;
};

struct Task {
  std::size_t size = 0;
  int cycles = 0;
  double work_ns = 0;
  bool prefetch = false;
};

class Worker {
 public:
  Worker(const std::filesystem::path& folder, const Task& task, Account& account)
      : peer_(peer_options(folder, "naimi-trehel", Transport::tcp)),
        data_(peer_, "block", {.prefetch = task.prefetch}),
        task_(task),
        account_(account) {}

  void make_block() {
    expect_ok(data_.request());
    expect_ok(data_.acquire());
    expect_ok(data_.resize(task_.size));
    expect_ok(data_.release());
  }

  void cycle(bool counts) {
    std::uint64_t asked_ns = now_ns();
    expect_ok(data_.request());
    if (task_.work_ns > 0) std::this_thread::sleep_for(Nanoseconds(task_.work_ns));
    use(asked_ns, counts);
  }

  /// Nobody else wants it, and the lock is here before it is acquired.
  void fetch_alone(bool counts) {
    std::uint64_t asked_ns = now_ns();
    expect_ok(data_.request());
    while (data_.state() == HandleState::req) std::this_thread::sleep_for(1ms);
    use(asked_ns, counts);
  }

 private:
  void use(std::uint64_t asked_ns, bool counts) {
    std::uint64_t called_ns = now_ns();
    expect_ok(data_.acquire());
    std::uint64_t here_ns = now_ns();
    if (counts) account_.samples[account_.count++] = {here_ns - asked_ns, here_ns - called_ns};
    std::uint64_t word = 0;
    std::memcpy(&word, data_.bytes().data(), sizeof word);
    ++word;
    std::memcpy(data_.bytes().data(), &word, sizeof word);
    expect_ok(data_.release());
  }

  Peer peer_;
  Data data_;
  Task task_;
  Account& account_;
};

/// Each process works off its cycles while the others do.
void all_at_once(Worker& worker, Board&, std::uint32_t, const Task& task) {
  for (int i = 0; i < cycles_before + task.cycles; ++i) worker.cycle(i >= cycles_before);
}

/// One after the other.
void in_turn(Worker& worker, Board& board, std::uint32_t process, const Task& task) {
  constexpr std::uint32_t crew = overlap_processes;
  for (int i = 0; i < cycles_before + task.cycles; ++i) {
    board.turn.await(static_cast<std::uint32_t>(i) * crew + process);
    worker.fetch_alone(i >= cycles_before);
    board.turn.raise_to(board.turn.value() + 1);
  }
}

Waits medians(const Board& board) {
  std::vector<double> waits;
  std::vector<double> blockings;
  for (const Account& account : board.accounts)
    for (const Sample& sample : std::span(account.samples).first(account.count)) {
      waits.push_back(static_cast<double>(sample.wait_ns));
      blockings.push_back(static_cast<double>(sample.blocking_ns));
    }
  return {median(std::move(waits)), median(std::move(blockings))};
}

template <class Course>
Waits run(const Task& task, Course course) {
  TemporaryFolder folder;
  Shared<Board> board;
  Reports reports;
  std::vector<Process> crew;
  for (std::uint32_t process = 0; process < overlap_processes; ++process)
    crew.emplace_back([&, process] {
      Worker worker(folder.path(), task, board->accounts[process]);
      reports.report();
      board->begun.await(1);
      if (process == 0) worker.make_block();
      reports.report();
      board->begun.await(2);
      course(worker, *board, process, task);
      reports.report();
      board->over.await(1);
      return std::string();
    });
  Deadline deadline = in(patience);
  reports.await(crew.size(), crew, deadline);
  board->begun.raise_to(1);
  reports.await(crew.size(), crew, deadline);
  board->begun.raise_to(2);
  reports.await(crew.size(), crew, deadline);
  board->over.raise_to(1);
  for (Process& process : crew) process.finish(deadline);
  return medians(*board);
}

}  // namespace

std::vector<OverlapPoint> Overlap::beyond_the_queue() const {
  std::vector<OverlapPoint> beyond;
  for (const OverlapPoint& point : points)
    if (point.work_ns > points.front().plain.wait_ns) beyond.push_back(point);
  return beyond;
}

Overlap measure_overlap(std::size_t size, int cycles) {
  Overlap overlap{size, run({size, cycles, 0, false}, in_turn).blocking_ns, {}};
  for (double share : work_shares) {
    double wait_ns = overlap.points.empty() ? 0 : overlap.points.front().plain.wait_ns;
    Task task{size, cycles, share * wait_ns, false};
    OverlapPoint point{task.work_ns, run(task, all_at_once), {}};
    task.prefetch = true;
    point.prefetch = run(task, all_at_once);
    overlap.points.push_back(point);
  }
  return overlap;
}

}  // namespace conch::bench
