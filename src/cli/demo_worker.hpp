// What the peers of `conch demo` do: each increments a number in a plain file, under the lock.
#pragma once

#include <array>
#include <atomic>
#include <conch/peer.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace conch::cli {

inline constexpr std::size_t demo_seats = 6;

/// Of one worker.
struct DemoSeat {
  std::atomic<bool> is_in{false};
  std::atomic<bool> asked_to_leave{false};
  /// To stay inside, between reading the file and writing it, and that it does.
  std::atomic<bool> asked_to_linger{false};
  std::atomic<bool> lingers{false};
  /// Increments that it has written.
  std::atomic<std::uint64_t> written{0};
  /// Times that it was inside and was told that it has lost the lock, and when it was last.
  std::atomic<std::uint64_t> losses{0};
  std::atomic<std::uint64_t> lost_ns{0};
  std::atomic<std::uint64_t> back_ns{0};
};

/// In shared memory.
struct DemoBoard {
  std::array<DemoSeat, demo_seats> seats;
  std::atomic<bool> may_begin{false};
  std::atomic<bool> ends{false};
  /// Of the first to come in after somebody has set it to 0.
  std::atomic<std::uint64_t> next_in_ns{0};
  std::atomic<std::size_t> next_in{0};
  /// From one coming in to the next coming in, since somebody has set it to 0.
  std::atomic<std::uint64_t> longest_gap_ns{0};

  // By who is inside.
  std::atomic<std::uint64_t> last_in_ns{0};
  std::atomic<std::size_t> last_in{demo_seats};
  std::atomic<std::uint64_t> handovers{0};
  std::atomic<std::uint64_t> first_fence{0};
  std::atomic<std::uint64_t> last_fence{0};
  /// Fences that were not larger than the one before.
  std::atomic<std::uint64_t> fences_back{0};
};

/// What stands in the file: who wrote last had this fence.
struct DemoRecord {
  std::uint64_t count = 0;
  std::uint64_t fence = 0;
};

/// Throw std::runtime_error.
DemoRecord read_record(int file);
void write_record(int file, const DemoRecord& record);

/// In a process of its own, until it is asked to leave or the demo ends.
void work_in_demo(const PeerOptions& options, const std::string& file, DemoBoard& board,
                  std::size_t seat);

}  // namespace conch::cli
