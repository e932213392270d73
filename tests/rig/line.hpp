// What becomes of the packets from one site to another, as a value: no clock, no socket.
//
// Every packet draws the same numbers, whatever the line's quality is: what becomes of the n-th
// packet follows from the seed, n, its size and when it came, and not from what was asked of the
// line before.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "core/types.hpp"
#include "rig/packet.hpp"
#include "sim/faults.hpp"

namespace conch::rig {

/// The words are those of the simulator's faults.
struct Quality {
  Duration delay{};
  /// Up to so much longer, each packet for itself; they stay in order.
  Duration jitter{};
  double lose = 0;
  double duplicate = 0;
  /// Packets that take so much longer are overtaken by those behind them.
  sim::Clog clog = {};
  /// 0: as fast as they come.
  std::uint64_t bytes_per_second = 0;
  /// A packet that would wait longer for the line to be free is dropped.
  Duration backlog_max = std::chrono::milliseconds(500);
};

/// What a line has seen. Each packet is delivered, on its way, or counted under what dropped it; a
/// copy is delivered or cut besides.
struct Traffic {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  /// TCP segments with something in them: no mere acknowledgements.
  std::uint64_t segments = 0;
  std::uint64_t delivered = 0;

  std::uint64_t lost = 0;
  std::uint64_t cut = 0;
  std::uint64_t overflowed = 0;

  std::uint64_t duplicated = 0;
  std::uint64_t clogged = 0;

  std::uint64_t dropped() const { return lost + cut + overflowed; }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};
Traffic operator+(const Traffic& a, const Traffic& b);
/// What came since `before`.
Traffic operator-(const Traffic& now, const Traffic& before);

class Line {
 public:
  Line(std::uint64_t seed, Way way);

  void set(const Quality& quality) { quality_ = quality; }
  /// Nothing is on its way any more, and nothing comes through.
  void cut(std::uint64_t on_their_way);
  void heal() { is_cut_ = false; }
  bool is_cut() const { return is_cut_; }

  /// When the packet, and its copy, if there is one, arrive. Nothing if it is dropped.
  std::vector<Time> carry(const Packet& packet, std::size_t bytes, Time now);
  /// One of those has arrived.
  void deliver() { ++traffic_.delivered; }

  const Traffic& traffic() const { return traffic_; }

 private:
  /// When the last bit is on the line.
  Time sent(std::size_t bytes, Time now) const;
  Time in_order(Time arrival);

  Random random_;
  Quality quality_;
  bool is_cut_ = false;
  Traffic traffic_;
  Time free_from_{};
  /// Of those that were not clogged.
  Time last_arrival_{};
};

}  // namespace conch::rig
