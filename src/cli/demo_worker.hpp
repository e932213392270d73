// The work of a peer in `conch demo`: under the lock, it increments a number in a plain file.
#pragma once

#include <array>
#include <atomic>
#include <conch/peer.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace conch::cli {

inline constexpr std::size_t demo_seats = 6;

/// The state of one worker.
struct DemoSeat {
  std::atomic<bool> is_in{false};
  std::atomic<bool> asked_to_leave{false};
  /// Asks the worker to stay inside, between reading and writing the file; and whether the worker
  /// does so now.
  std::atomic<bool> asked_to_linger{false};
  std::atomic<bool> lingers{false};
  /// Increments written.
  std::atomic<std::uint64_t> written{0};
  /// How often the worker learned inside that it had lost the lock, and when it last did.
  std::atomic<std::uint64_t> losses{0};
  std::atomic<std::uint64_t> lost_ns{0};
  std::atomic<std::uint64_t> back_ns{0};
};

/// Lives in shared memory.
struct DemoBoard {
  std::array<DemoSeat, demo_seats> seats;
  std::atomic<bool> may_begin{false};
  std::atomic<bool> ends{false};
  /// When the first peer entered after this was set to 0, and which peer that was.
  std::atomic<std::uint64_t> next_in_ns{0};
  std::atomic<std::size_t> next_in{0};
  /// The longest time between two entries since this was set to 0.
  std::atomic<std::uint64_t> longest_gap_ns{0};

  // Only the lock holder writes these.
  std::atomic<std::uint64_t> last_in_ns{0};
  std::atomic<std::size_t> last_in{demo_seats};
  std::atomic<std::uint64_t> handovers{0};
  std::atomic<std::uint64_t> first_fence{0};
  std::atomic<std::uint64_t> last_fence{0};
  /// Fences that were not greater than the one before.
  std::atomic<std::uint64_t> fences_back{0};
};

/// The contents of the file: the number, and the fence of its last writer.
struct DemoRecord {
  std::uint64_t count = 0;
  std::uint64_t fence = 0;
};

/// Both throw std::runtime_error.
DemoRecord read_record(int file);
void write_record(int file, const DemoRecord& record);

/// Runs in a process of its own, until it is asked to leave or the demo ends.
void work_in_demo(const PeerOptions& options, const std::string& file, DemoBoard& board,
                  std::size_t seat);

}  // namespace conch::cli
