// Measures the time from `kill -9` of a holder until the next one is inside, with five peers on
// this machine, four of which wait.
//
//   bench_recovery [TIMES]    prints the table; 20 times by default
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <conch/peer.hpp>
#include <conch/ticket.hpp>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peers/conch_options.hpp"
#include "peers/process.hpp"
#include "peers/shared.hpp"

namespace {

using namespace conch::bench;
using namespace std::chrono_literals;

constexpr std::size_t peers = 5;
constexpr int times_default = 20;
constexpr double limit_ms = 50;
/// The timeout to be admitted, or to get the lock.
constexpr auto patience = 60s;

/// Written by the holder.
struct Board {
  std::size_t holder = 0;
  std::uint64_t entered_ns = 0;
  std::uint64_t fence = 0;
};

/// Waits in the queue, and then stays inside until it is killed.
std::string live(const conch::PeerOptions& options, std::size_t place, Board& board,
                 const Reports& in_line, const Reports& inside) {
  conch::Peer peer(options);
  conch::Ticket ticket(peer, "lock");
  ticket.request();
  in_line.report();
  ticket.acquire();
  board.entered_ns = now_ns();
  board.holder = place;
  board.fence = ticket.fence();
  inside.report();
  Gauge never;
  never.await(1);
  return {};
}

class Group {
 public:
  explicit Group(Transport transport) : transport_(transport) {
    for (std::size_t place = 0; place < peers; ++place) crew_.push_back(newcomer(place));
    in_line_.await(peers, crew_, in(patience));
    inside_.await(1, crew_, in(patience));
  }

  /// Milliseconds from just before the kill until the next entry.
  double kill_the_holder() {
    std::size_t dead = board_->holder;
    std::uint64_t fence = board_->fence;
    Process holder = std::move(crew_[dead]);  // the others must not die
    std::uint64_t killed_ns = now_ns();
    holder.signal(SIGKILL);
    inside_.await(1, crew_, in(patience));
    if (board_->fence <= fence)
      throw std::runtime_error(fmt::format("the fence {} came after {}", board_->fence, fence));
    double ms = static_cast<double>(board_->entered_ns - killed_ns) * 1e-6;
    crew_[dead] = newcomer(dead);
    in_line_.await(1, crew_, in(patience));
    return ms;
  }

 private:
  Process newcomer(std::size_t place) {
    return Process([this, place] {
      auto options = peer_options(folder_.path(), "naimi-trehel", transport_);
      return live(options, place, *board_, in_line_, inside_);
    });
  }

  Transport transport_;
  conch::ScratchFolder folder_;
  conch::SharedState<Board> board_;
  Reports in_line_;
  Reports inside_;
  /// The processes by place.
  std::vector<Process> crew_;
};

void measure(std::string_view name, Transport transport, int times) {
  Group group(transport);
  std::vector<double> ms;
  for (int i = 0; i < times; ++i) ms.push_back(group.kill_the_holder());
  std::ranges::sort(ms);
  double median = ms[ms.size() / 2];
  fmt::print("{:<24} {:>9.2f} {:>9.2f} {:>9.2f}   at most {} ms: {}\n", name, median, ms.front(),
             ms.back(), limit_ms, median <= limit_ms ? "met" : "not met");
}

int times_from(int argc, char** argv) {
  int times = times_default;
  if (argc < 2) return times;
  std::string_view text = argv[1];
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), times);
  if (error != std::errc() || end != text.data() + text.size() || times < 1)
    throw std::runtime_error(fmt::format("'{}' is not a number of times", text));
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int times = times_from(argc, argv);
    catch_interrupts();
    fmt::print("From kill -9 of the holder to the next one in, of {} peers, {} times\n\n", peers,
               times);
    fmt::print("{:<24} {:>9} {:>9} {:>9}\n", "ms", "median", "min", "max");
    measure("naimi-trehel, TCP", Transport::tcp, times);
    measure("naimi-trehel, Unix", Transport::unix_sockets, times);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_recovery: {}\n", error.what());
    return 1;
  }
}
