// Counts what has come from one life, and decides when to acknowledge it. Acknowledgements only
// free the sender's memory and keep it from suspecting us, so they are rare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "wire/frame.hpp"

namespace conch::wire {

class Incoming {
 public:
  /// How many payloads have ever come.
  std::uint64_t received() const { return received_; }

  /// Takes the body of a payload frame and returns what was sent; empty if it is not the next
  /// payload.
  std::optional<std::string_view> take(std::string_view body, Time now) {
    if (distance(body) != 0) return {};
    if (payloads_++ == 0) due_ = now + acknowledgement_delay_max;
    bytes_ += body.size();
    ++received_;
    if (payloads_ >= acknowledged_payloads_max || bytes_ >= acknowledged_bytes_max)
      due_ = std::min(due_, now);
    return body.substr(4);
  }

  /// Whether the payload has come before. That happens when its sender began this connection before
  /// it knew what had come over another one. It is acknowledged again.
  bool is_known(std::string_view body, Time now) {
    if (distance(body) >= 0) return false;
    due_ = std::min(due_, now + acknowledgement_delay_max);
    return true;
  }

  /// When an acknowledgement is due; Time::max() if none is.
  Time due() const { return due_; }
  /// Appends an acknowledgement.
  void acknowledge(std::string& out) {
    std::string body;
    for (int shift = 56; shift >= 0; shift -= 8)
      body += static_cast<char>((received_ >> shift) & 0xff);
    put_frame(out, FrameKind::acknowledgement, body);
    was_acknowledged();
  }
  /// Also called when an answer to a hello has told the count.
  void was_acknowledged() {
    payloads_ = 0;
    bytes_ = 0;
    due_ = Time::max();
  }

 private:
  /// How far the payload is beyond the next one; the maximum if the frame is malformed.
  std::int32_t distance(std::string_view body) const {
    if (body.size() < 4) return std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(number_at(body) - static_cast<std::uint32_t>(received_));
  }

  std::uint64_t received_ = 0;
  /// Since the last acknowledgement.
  std::uint32_t payloads_ = 0;
  std::size_t bytes_ = 0;
  Time due_ = Time::max();
};

/// Reads the body of an acknowledgement; empty if it is malformed.
inline std::optional<std::uint64_t> read_acknowledgement(std::string_view body) {
  if (body.size() != 8) return std::nullopt;
  return (std::uint64_t{number_at(body)} << 32) | number_at(body.substr(4));
}

}  // namespace conch::wire
