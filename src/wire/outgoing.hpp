// What was sent to one life and not acknowledged, in the form in which it goes over the wire:
// payloads framed and numbered in one buffer, from which a connection writes directly. Nothing is
// lost with a connection: the next one goes on after what the receiver has got.
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

  /// False, and nothing changes, if there is no room or the payload is too large for a frame.
  bool append(std::string_view payload);

  bool empty() const { return front_ == bytes_.size(); }
  std::size_t bytes() const { return bytes_.size() - front_; }
  /// How many payloads have been acknowledged; also the number of the first that is kept.
  std::uint64_t acknowledged() const { return acknowledged_; }

  /// What the connection has not taken yet.
  std::string_view unwritten() const { return std::string_view(bytes_).substr(written_); }
  void wrote(std::size_t bytes);
  /// The connection has taken part of a frame, so nothing else may be written before the rest.
  bool is_inside() const { return written_ < boundary_; }

  /// The receiver has got so many payloads, on all connections together. False if that cannot be:
  /// it is less than before, or more than was ever written. What this connection has not taken yet
  /// is kept until it has, and is acknowledged again.
  bool acknowledge(std::uint64_t received);
  /// Begins a new connection, to a receiver that has got so many payloads; all others are unwritten
  /// again. False if that cannot be.
  bool resume(std::uint64_t received);

 private:
  std::size_t frame_bytes(std::size_t place) const;
  bool was_reached(std::uint64_t received) const;
  void drop_until(std::uint64_t received, std::size_t end);
  void compact();

  std::size_t bytes_max_;
  std::string bytes_;
  /// Places in `bytes_`: the end of what is acknowledged; of what this connection has taken; of the
  /// frame that it is taking; and of what any connection has taken.
  std::size_t front_ = 0;
  std::size_t written_ = 0;
  std::size_t boundary_ = 0;
  std::size_t reached_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t appended_ = 0;
};

}  // namespace conch::wire
