// Frames: a length of 32 bits, most significant byte first, a byte that says the kind, and a body.
// The length counts what follows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/limits.hpp"

namespace conch::wire {

enum class Kind : std::uint8_t {
  hello = 1,
  accepted = 2,
  refused = 3,
  /// From a sender to its receiver: a number, then what the sender's process said.
  payload = 4,
  /// From a receiver to its sender: how many payloads have come.
  acknowledgement = 5,
  /// Between a client and its peer.
  note = 6,
};

inline constexpr std::size_t length_bytes = 4;
inline constexpr std::size_t frame_overhead_bytes = length_bytes + 1;

struct Frame {
  Kind kind{};
  std::string_view body;
};

/// "an acknowledgement"; of a byte that is no kind, "something unknown".
std::string_view word(Kind kind);

void put_number(std::string& out, std::uint32_t number);
std::uint32_t number_at(std::string_view bytes);

/// Begins a frame whose body will have so many bytes.
void put_header(std::string& out, Kind kind, std::size_t body_bytes);
void put_frame(std::string& out, Kind kind, std::string_view body);

/// Makes frames of the bytes of a stream, in place: a frame is copied only if it came in parts.
class FrameReader {
 public:
  /// Frames may be so long: those of a handshake at first.
  void allow(std::size_t bytes_max) { bytes_max_ = bytes_max; }

  /// What came next. It must stay where it is until `next` has given nothing.
  void feed(std::string_view bytes) { fresh_ = bytes; }
  /// The next frame, until the next call; nothing if it is not complete, or after a mistake.
  std::optional<Frame> next();

  /// After a mistake there is no next frame: what follows has no meaning.
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  /// How many bytes there must be at least until there is a frame; once `next` has given none.
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
  /// The beginning of a frame whose end has not come; or, once it was given, the whole.
  std::string partial_;
  bool given_ = false;
  std::string error_;
};

}  // namespace conch::wire
