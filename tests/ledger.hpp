// State that the peers of a test without a register share: a resource that trusts fences alone, and
// the progress of every peer. It lives in a mapped file, so it survives when a peer is killed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace conch::testing {

struct Ledger {
  static constexpr std::size_t seats_max = 32;

  struct ProcessSlot {
    std::atomic<std::int32_t> process;
    /// The port at which the peer listens, and its position on the ring; set when it has joined.
    std::atomic<std::uint32_t> port;
    std::atomic<std::uint64_t> id;
    std::atomic<std::uint64_t> entries;
    std::atomic<std::uint64_t> losses;
    /// The longest time between two entries, in milliseconds.
    std::atomic<std::uint64_t> longest_ms;
  };
  std::array<ProcessSlot, seats_max> seats;

  /// The lock's number; not 0 once the work begins.
  std::atomic<std::uint32_t> lock;
  std::atomic<bool> done;
  /// The seat (plus one) that must hold the lock until it is killed, and whether it holds it now.
  std::atomic<std::uint32_t> victim;
  std::atomic<bool> caught;

  std::atomic<std::uint64_t> last_fence;
  std::atomic<std::uint64_t> accepted;
  std::atomic<std::uint64_t> refused;
  // These must stay 0. `old_fences` counts holders that entered with a fence that is not new;
  // `overtaken` counts holders that a larger fence overtook while they still held the lock.
  std::atomic<std::uint64_t> old_fences;
  std::atomic<std::uint64_t> overtaken;

  /// Accepts a fence that is greater than the last one. Returns whether it is.
  bool open(std::uint64_t fence) {
    std::uint64_t last = last_fence;
    while (last < fence)
      if (last_fence.compare_exchange_weak(last, fence)) return ++accepted, true;
    return ++refused, false;
  }
  bool write(std::uint64_t fence) {
    bool current = last_fence == fence;
    ++(current ? accepted : refused);
    return current;
  }
};

}  // namespace conch::testing
