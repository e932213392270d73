// What the peers of a test over an overlay share: a resource that believes fences and nothing else,
// and who of them has got how far. It survives that any of them is killed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace conch::testing {

struct Ledger {
  static constexpr std::size_t seats_max = 32;

  struct Seat {
    std::atomic<std::int32_t> process;
    /// Where its peer listens, and its place in the ring; once it is in the group.
    std::atomic<std::uint32_t> port;
    std::atomic<std::uint64_t> id;
    std::atomic<std::uint64_t> entries;
    std::atomic<std::uint64_t> losses;
    /// The longest time between two entries.
    std::atomic<std::uint64_t> longest_ms;
  };
  std::array<Seat, seats_max> seats;

  /// The lock's number, from when the work begins.
  std::atomic<std::uint32_t> lock;
  std::atomic<bool> done;
  /// Whose turn it is to hold the lock until it is killed, plus one; and that it does.
  std::atomic<std::uint32_t> victim;
  std::atomic<bool> caught;

  std::atomic<std::uint64_t> last_fence;
  std::atomic<std::uint64_t> accepted;
  std::atomic<std::uint64_t> refused;
  // What must not happen: two enter by one fence, one enters by an old one, or one is overtaken
  // that still holds the lock.
  std::atomic<std::uint64_t> old_fences;
  std::atomic<std::uint64_t> overtaken;

  /// Whether it is a new fence, which is the last from then on.
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
