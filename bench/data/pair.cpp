// Two children hand a block to each other. The holder changes a word at each end of the block, so
// the other one can check what it got. Nobody touches the other bytes: the time is that of moving
// them.
#include <fmt/core.h>

#include <array>
#include <cstring>

#include "shared.hpp"
#include "way.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

/// The timeout of a measurement.
constexpr auto patience = 60s;
constexpr std::size_t handovers_max = 4096;

struct Board {
  /// 1 when both are ready, 2 when the first one has the block.
  Gauge begun;
  Gauge over;
  /// The handover that a taker waits for, and the last one that has happened. Processes sleep
  /// meanwhile: other threads of the giver may be busy, and there are few cores.
  Gauge awaited;
  Gauge taken;
  std::uint64_t given_ns = 0;
  std::array<std::uint64_t, handovers_max> times_ns{};
};

void inscribe(std::span<std::byte> block, int number) {
  if (block.size() < sizeof number) return;
  std::memcpy(block.data(), &number, sizeof number);
  std::memcpy(block.data() + block.size() - sizeof number, &number, sizeof number);
}

void check(std::span<const std::byte> block, int number) {
  if (block.size() < sizeof number) return;
  for (std::size_t at : {std::size_t{0}, block.size() - sizeof number}) {
    int found = 0;
    std::memcpy(&found, block.data() + at, sizeof found);
    if (found != number)
      throw std::runtime_error(fmt::format("the block of handover {} says {}", number, found));
  }
}

void give(End& end, Board& board, int number) {
  inscribe(end.block(), number);
  board.awaited.await(static_cast<std::uint32_t>(number));
  for (std::uint64_t awaited_ns = now_ns(); now_ns() - awaited_ns < asleep_ns;) continue;
  board.given_ns = now_ns();
  end.give();
  board.taken.await(static_cast<std::uint32_t>(number));  // or it may take the next one itself
}

void take(End& end, Board& board, int number) {
  end.ask();
  board.awaited.raise_to(static_cast<std::uint32_t>(number));
  end.take();
  board.times_ns[static_cast<std::size_t>(number)] = now_ns() - board.given_ns;
  board.taken.raise_to(static_cast<std::uint32_t>(number));
  check(end.block(), number);
}

void play(End& end, Board& board, int process, int handovers) {
  for (int number = 1; number <= handovers; ++number)
    number % 2 == process ? take(end, board, number) : give(end, board, number);
}

}  // namespace

std::vector<double> PairWay::measure(const Course& course) {
  prepare(course.size);
  SharedState<Board> board;
  Reports reports;
  int handovers = warm_up_handovers + course.handovers;
  std::vector<Process> pair;
  for (int process : {0, 1})
    pair.emplace_back([&, process] {
      std::unique_ptr<End> end = enter(process);
      reports.report();
      board->begun.await(1);
      if (process == 0) {
        end->begin();
        board->begun.raise_to(2);
      }
      board->begun.await(2);
      play(*end, *board, process, handovers);
      reports.report();
      board->over.await(1);  // leaving earlier would disturb the last handover
      return std::string();
    });
  Deadline deadline = in(patience);
  reports.await(2, pair, deadline);
  board->begun.raise_to(1);
  reports.await(2, pair, deadline);
  board->over.raise_to(1);
  for (Process& process : pair) process.finish(deadline);
  auto measured = std::span(board->times_ns).first(static_cast<std::size_t>(handovers) + 1);
  measured = measured.subspan(warm_up_handovers + 1);
  return {measured.begin(), measured.end()};
}

}  // namespace conch::bench
