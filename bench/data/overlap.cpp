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
/// Cycles of each process before the measured ones: memory is mapped, and all get into step.
constexpr int cycles_before = 4;
/// The measured cycles of each process in a round.
constexpr int cycles = 5;
/// The work in a cycle, as shares of the wait without work. With the last two the queue is empty.
constexpr std::array work_shares{0.0, 0.5, 1.5, 3.0};

struct Sample {
  std::uint64_t wait_ns = 0;
  std::uint64_t blocking_ns = 0;
};

struct Account {
  std::size_t count = 0;
  std::array<Sample, cycles> samples;
};

struct Board {
  Gauge begun;
  /// Whose turn it is to fetch alone.
  Gauge turn;
  Gauge over;
  std::array<Account, overlap_processes> accounts;
};

struct Task {
  std::size_t size = 0;
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

  /// Fetches the data while nobody else wants the lock, which is here before the acquire.
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

/// All processes do their cycles at the same time.
void all_at_once(Worker& worker, Board&, std::uint32_t) {
  for (int i = 0; i < cycles_before + cycles; ++i) worker.cycle(i >= cycles_before);
}

/// The processes take turns.
void in_turn(Worker& worker, Board& board, std::uint32_t process) {
  constexpr std::uint32_t crew = overlap_processes;
  for (int i = 0; i < cycles_before + cycles; ++i) {
    board.turn.await(static_cast<std::uint32_t>(i) * crew + process);
    worker.fetch_alone(i >= cycles_before);
    board.turn.raise_to(board.turn.value() + 1);
  }
}

using Samples = std::vector<Sample>;

void append(Samples& all, const Board& board) {
  for (const Account& account : board.accounts)
    all.insert(all.end(), account.samples.begin(), account.samples.end());
}

Waits medians(const Samples& samples) {
  std::vector<double> waits;
  std::vector<double> blockings;
  for (const Sample& sample : samples) {
    waits.push_back(static_cast<double>(sample.wait_ns));
    blockings.push_back(static_cast<double>(sample.blocking_ns));
  }
  return {median(std::move(waits)), median(std::move(blockings))};
}

template <class Course>
void run(const Task& task, Course course, Samples& all) {
  ScratchFolder folder;
  SharedState<Board> board;
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
      course(worker, *board, process);
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
  append(all, *board);
}

}  // namespace

std::vector<OverlapPoint> Overlap::beyond_the_queue() const {
  std::vector<OverlapPoint> beyond;
  for (const OverlapPoint& point : points)
    if (point.work_ns > points.front().plain.wait_ns) beyond.push_back(point);
  return beyond;
}

/// Measures round by round, so that a disturbance of the machine affects all alike.
Overlap measure_overlap(std::size_t size, int rounds) {
  struct Point {
    Samples plain;
    Samples prefetch;
  };
  Samples alone;
  std::array<Point, work_shares.size()> points;
  double queue_ns = 0;
  for (int round = 0; round < rounds; ++round) {
    run({size, 0, false}, in_turn, alone);
    for (std::size_t i = 0; i < points.size(); ++i) {
      run({size, work_shares[i] * queue_ns, false}, all_at_once, points[i].plain);
      run({size, work_shares[i] * queue_ns, true}, all_at_once, points[i].prefetch);
      if (queue_ns == 0) queue_ns = medians(points[0].plain).wait_ns;
    }
  }
  Overlap overlap{size, medians(alone).blocking_ns, {}};
  for (std::size_t i = 0; i < points.size(); ++i)
    overlap.points.push_back(
        {work_shares[i] * queue_ns, medians(points[i].plain), medians(points[i].prefetch)});
  return overlap;
}

}  // namespace conch::bench
