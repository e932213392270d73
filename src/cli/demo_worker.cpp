#include "cli/demo_worker.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <conch/mutex.hpp>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "cli/worker_processes.hpp"
#include "net/descriptor.hpp"

namespace conch::cli {

namespace {

using std::chrono::milliseconds;

class Worker {
 public:
  Worker(const PeerOptions& options, const std::string& file, DemoBoard& board, std::size_t number)
      : board_(board),
        number_(number),
        seat_(board.seats[number]),
        file_(::open(file.c_str(), O_RDWR | O_CLOEXEC)),
        peer_(options),
        mutex_(peer_, "counter") {}

  void run() {
    seat_.is_in = true;
    while (!board_.may_begin) doze(milliseconds(1));
    while (!board_.ends && !seat_.asked_to_leave) {
      {
        std::scoped_lock guard(mutex_);
        increment();
      }
      ::sched_yield();  // With fewer cores than peers, this lets the others ask.
    }
  }

 private:
  /// Reads the number and writes one more. If another peer were inside meanwhile, its increment
  /// would be lost.
  void increment() {
    if (!mutex_.holds()) return note_loss();
    note_entry();
    DemoRecord record = read_record(file_.number());
    if (record.fence >= mutex_.fence()) ++board_.fences_back;
    if (seat_.asked_to_linger) linger();
    if (!mutex_.holds()) return note_loss();
    write_record(file_.number(), {record.count + 1, mutex_.fence()});
    ++seat_.written;
  }

  void linger() {
    seat_.lingers = true;
    while (seat_.asked_to_linger) doze(milliseconds(1));
    seat_.lingers = false;
  }

  void note_loss() {
    ++seat_.losses;
    seat_.lost_ns = now_ns();
    seat_.back_ns = 0;
  }

  void note_entry() {
    std::uint64_t now = now_ns();
    if (board_.next_in_ns == 0) {
      board_.next_in = number_;
      board_.next_in_ns = now;
    }
    if (seat_.back_ns == 0) seat_.back_ns = now;
    if (board_.last_in_ns != 0)
      board_.longest_gap_ns = std::max(board_.longest_gap_ns.load(), now - board_.last_in_ns);
    board_.last_in_ns = now;
    if (board_.last_in.exchange(number_) != number_) ++board_.handovers;
    std::uint64_t fence = mutex_.fence();
    if (board_.first_fence == 0) board_.first_fence = fence;
    if (board_.last_fence.exchange(fence) >= fence) ++board_.fences_back;
  }

  DemoBoard& board_;
  std::size_t number_;
  DemoSeat& seat_;
  net::Descriptor file_;
  Peer peer_;
  Mutex mutex_;
};

}  // namespace

DemoRecord read_record(int file) {
  std::array<char, 80> text{};
  ssize_t size = ::pread(file, text.data(), text.size() - 1, 0);
  DemoRecord record;
  bool whole = size > 0 && std::sscanf(text.data(), "count %" SCNu64 ", fence %" SCNu64,
                                       &record.count, &record.fence) == 2;
  if (!whole) throw std::runtime_error("the file with the counter cannot be read");
  return record;
}

void write_record(int file, const DemoRecord& record) {
  std::string text = fmt::format("count {:020}, fence {:020}\n", record.count, record.fence);
  if (::pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error(
        fmt::format("the file with the counter cannot be written: {}", std::strerror(errno)));
}

void work_in_demo(const PeerOptions& options, const std::string& file, DemoBoard& board,
                  std::size_t seat) {
  Worker(options, file, board, seat).run();
}

}  // namespace conch::cli
