// Frames: a length of 32 bits, most significant byte first; one byte for the kind; and a body. The
// length counts the bytes that follow it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/limits.hpp"

namespace conch::wire {

enum class FrameKind : std::uint8_t {
  hello = 1,
  accepted = 2,
  refused = 3,
  /// From a sender to its receiver: a number, then the bytes that the process sent.
  payload = 4,
  /// From a receiver to its sender: how many payloads it has received.
  acknowledgement = 5,
  /// Between a client and its peer.
  note = 6,
};

inline constexpr std::size_t length_bytes = 4;
inline constexpr std::size_t frame_overhead_bytes = length_bytes + 1;

struct Frame {
  FrameKind kind{};
  std::string_view body;
};

/// For example "an acknowledgement"; "something unknown" for a byte that is no kind.
std::string_view word(FrameKind kind);

void put_number(std::string& out, std::uint32_t number);
std::uint32_t number_at(std::string_view bytes);

/// Begins a frame with a body of so many bytes.
void put_header(std::string& out, FrameKind kind, std::size_t body_bytes);
void put_frame(std::string& out, FrameKind kind, std::string_view body);

/// Splits a byte stream into frames, in place: it copies a frame only if that came in parts.
class FrameReader {
 public:
  /// Limits the length of a frame; at first to that of a handshake.
  void allow(std::size_t bytes_max) { bytes_max_ = bytes_max; }

  /// The bytes must stay where they are until `next` has returned nothing.
  void feed(std::string_view bytes) { fresh_ = bytes; }
  /// The next frame, valid until the next call; empty if it is not complete, or after an error.
  std::optional<Frame> next();

  /// After an error there are no more frames, because the rest of the stream has no meaning.
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  /// After `next` has returned nothing: how many bytes are needed, at least, for the next frame.
  std::size_t missing() const;
  /// Whether the stream would end inside a frame.
  bool is_inside() const { return !partial_.empty() && !given_; }

 private:
  bool has_length(std::string_view bytes);
  std::optional<Frame> next_of_fresh();
  bool complete();
  void top_up(std::size_t bytes);

  std::size_t bytes_max_ = handshake_bytes_max;
  std::string_view fresh_;
  /// The beginning of a frame that is not complete; or the whole frame, once it was returned.
  std::string partial_;
  bool given_ = false;
  std::string error_;
};

}  // namespace conch::wire
