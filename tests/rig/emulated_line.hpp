// Decides what happens to the packets from one site to another, as a value: no clock, no socket.
//
// Every packet draws the same random numbers, whatever the quality of the line. So the fate of the
// n-th packet follows from the seed, n, its size and its arrival, and not from earlier qualities.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "core/types.hpp"
#include "rig/packet.hpp"
#include "sim/faults.hpp"

namespace conch::rig {

/// The quality of a line, in the words of the simulator's faults.
struct Quality {
  Duration delay{};
  /// The longest extra delay; each packet draws its own. Packets stay in order.
  Duration jitter{};
  double lose = 0;
  double duplicate = 0;
  /// Packets with this additional delay are overtaken by later ones.
  sim::Clog clog = {};
  /// 0 for no limit.
  std::uint64_t bytes_per_second = 0;
  /// A packet that would have to wait longer than this for the line is dropped.
  Duration backlog_max = std::chrono::milliseconds(500);
};

/// Counters of a line. Each packet is delivered, on its way, or counted under the reason why it was
/// dropped. A copy is delivered or cut in addition.
struct Traffic {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  /// TCP segments with a payload; mere acknowledgements do not count.
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
/// The traffic since `before`.
Traffic operator-(const Traffic& now, const Traffic& before);

class EmulatedLine {
 public:
  EmulatedLine(std::uint64_t seed, Direction way);

  void set(const Quality& quality) { quality_ = quality; }
  /// Drops all packets on their way, and those that come from now on.
  void cut(std::uint64_t on_their_way);
  void heal() { is_cut_ = false; }
  bool is_cut() const { return is_cut_; }

  /// The arrival times of the packet and of its copy, if it has one. Empty if the packet is
  /// dropped.
  std::vector<Time> carry(const Packet& packet, std::size_t bytes, Time now);
  /// Counts the arrival of a packet.
  void deliver() { ++traffic_.delivered; }

  const Traffic& traffic() const { return traffic_; }

 private:
  /// The time when the last bit is on the line.
  Time sent(std::size_t bytes, Time now) const;
  Time in_order(Time arrival);

  Random random_;
  Quality quality_;
  bool is_cut_ = false;
  Traffic traffic_;
  Time free_from_{};
  /// The last arrival of a packet that was not clogged.
  Time last_arrival_{};
};

}  // namespace conch::rig
