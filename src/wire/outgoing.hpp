// What was sent to one life and not acknowledged, as it goes over the wire: payloads framed and
// numbered in one buffer, from which a connection writes directly. A connection that breaks takes
// nothing with it: the next one goes on after what has been received.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/frame.hpp"

namespace conch::wire {

/// The low bits of a payload's number stand before it.
inline constexpr std::size_t payload_overhead_bytes = frame_overhead_bytes + 4;
inline constexpr std::size_t payload_bytes_max = frame_bytes_max - payload_overhead_bytes;

class Outgoing {
 public:
  explicit Outgoing(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// False if that were too much to keep, or too much for one frame: then nothing has changed.
  bool append(std::string_view payload);

  bool empty() const { return front_ == bytes_.size(); }
  std::size_t bytes() const { return bytes_.size() - front_; }
  /// How many have been acknowledged, which is the number of the first that is kept.
  std::uint64_t acknowledged() const { return acknowledged_; }

  /// What the connection has not taken yet.
  std::string_view unwritten() const { return std::string_view(bytes_).substr(written_); }
  void wrote(std::size_t bytes);
  /// The connection has taken a part of a frame: nothing else may go before the rest of it.
  bool is_inside() const { return written_ < boundary_; }

  /// So many have been received, on this connection and before. False if that cannot be: fewer than
  /// it has said, or more than were ever written. What this connection has not taken yet is kept
  /// until it has, and will be acknowledged again.
  bool acknowledge(std::uint64_t received);
  /// A new connection, to someone who has received so many; everything else is unwritten again.
  /// False if that cannot be.
  bool resume(std::uint64_t received);

 private:
  std::size_t frame_bytes(std::size_t place) const;
  bool was_reached(std::uint64_t received) const;
  void drop_until(std::uint64_t received, std::size_t end);
  void compact();

  std::size_t bytes_max_;
  std::string bytes_;
  /// In `bytes_`: what is acknowledged, what this connection has taken, and where the frame ends
  /// that it takes; what any has taken.
  std::size_t front_ = 0;
  std::size_t written_ = 0;
  std::size_t boundary_ = 0;
  std::size_t reached_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t appended_ = 0;
};

}  // namespace conch::wire
