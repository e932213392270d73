// The types that everything else is written in: nodes, time, fences, and what travels with a lock.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/expect.hpp"
#include "core/fields.hpp"

namespace conch {

/// Identifies a process of the group. Ids are unique and ordered; in an overlay an id is also the
/// position on the ring of keys.
struct NodeId {
  std::uint64_t value = 0;
  friend auto operator<=>(const NodeId&, const NodeId&) = default;
};

/// A world's clock. Algorithms never read it; worlds own it.
struct WorldClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<WorldClock>;
  static constexpr bool is_steady = true;
};
using Duration = WorldClock::duration;
using Time = WorldClock::time_point;

constexpr double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// A number that grows with every recovery: after a crash, for instance, or by `unlock --force`.
struct Epoch {
  std::uint32_t value = 1;
  friend auto operator<=>(const Epoch&, const Epoch&) = default;
};

/// A number handed out with every entry, strictly larger than that of every earlier entry of the
/// same lock. The epoch is its high bits, so that fences go on increasing when a crash loses the
/// count: a resource that remembers the largest fence it has seen can refuse a late holder.
class Fence {
 public:
  static constexpr int count_bits = 32;
  static constexpr std::uint64_t last_count = (std::uint64_t{1} << count_bits) - 1;
  static constexpr Epoch last_epoch{std::numeric_limits<std::uint32_t>::max()};

  constexpr Fence() = default;
  constexpr explicit Fence(std::uint64_t number) : number_(number) {}
  constexpr Fence(Epoch epoch, std::uint64_t count)
      : number_((std::uint64_t{epoch.value} << count_bits) | count) {
    CONCH_EXPECT(this->epoch() == epoch && this->count() == count,
                 "a fence has 32 bits for the epoch and 32 for the count");
  }

  constexpr std::uint64_t number() const { return number_; }
  constexpr Epoch epoch() const { return {static_cast<std::uint32_t>(number_ >> count_bits)}; }
  constexpr std::uint64_t count() const { return number_ & last_count; }
  /// The fence of the entry after this one. The count does not run into the epoch: peers begin a
  /// new one long before 2^32 entries (recovery).
  constexpr Fence next() const {
    CONCH_EXPECT(Fence(number_ + 1).epoch() == epoch(), "a fence's count overflowed its epoch");
    return Fence(number_ + 1);
  }
  /// The same for fences that follow the clock (overlay/fence_clock.hpp): no epoch bounds them.
  constexpr Fence successor() const { return Fence(number_ + 1); }
  friend auto operator<=>(const Fence&, const Fence&) = default;

 private:
  std::uint64_t number_ = 0;
};

/// Where the data are that a lock protects. Algorithms only carry it; worlds read it.
struct DataRef {
  /// Every writer leaves a larger one than it found.
  std::uint64_t version = 0;
  std::uint64_t size = 0;
  std::optional<NodeId> location;
  CONCH_FIELDS(DataRef, version, size, location)
};

/// What travels with a lock from one holder to the next. A token carries it; a permission algorithm
/// carries the newest one it has seen, newest by fence.
struct Baton {
  Fence fence;
  DataRef data;
  CONCH_FIELDS(Baton, fence, data)

  /// The baton of the next entry: the same data under the next fence.
  Baton next() const { return {fence.next(), data}; }
};

inline const Baton& newer(const Baton& a, const Baton& b) { return a.fence < b.fence ? b : a; }

/// Readers may be inside together, a writer is alone.
enum class Mode : std::uint8_t { read, write };
constexpr std::string_view word(Mode mode) { return mode == Mode::read ? "read" : "write"; }

/// A part of the data: the bytes from `begin` up to, but without, `end`; at least one.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  CONCH_FIELDS(Range, begin, end)

  bool valid() const { return begin < end; }
  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

/// What a request is for.
struct Wish {
  Mode mode = Mode::write;
  Range range;
  CONCH_FIELDS(Wish, mode, range)

  bool conflicts(const Wish& other) const {
    return (mode == Mode::write || other.mode == Mode::write) && range.overlaps(other.range);
  }
};

/// A part of the data, and what its last writer left there.
struct Part {
  Range range;
  Baton baton;
  CONCH_FIELDS(Part, range, baton)
};

/// A logical time that application messages carry so that happened-before is seen (ME3).
struct Stamp {
  std::uint64_t value = 0;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

/// Lamport's total order of requests: by stamp, ties by the smaller identifier.
struct Priority {
  Stamp stamp;
  NodeId node;
  CONCH_FIELDS(Priority, stamp, node)
  friend auto operator<=>(const Priority&, const Priority&) = default;
};

/// Which timer of an algorithm; the algorithm numbers them.
enum class TimerId : std::uint8_t {};

}  // namespace conch
