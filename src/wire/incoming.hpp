// What has come from one life: how much, and when to say so. Acknowledgements only free the
// sender's memory and calm its suspicion, so they are rare.
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
  /// How many have come, ever.
  std::uint64_t received() const { return received_; }

  /// The body of a payload frame; what its sender said, or nothing if it is not the next one.
  std::optional<std::string_view> take(std::string_view body, Time now) {
    if (distance(body) != 0) return {};
    if (payloads_++ == 0) due_ = now + acknowledgement_delay_max;
    bytes_ += body.size();
    ++received_;
    if (payloads_ >= acknowledged_payloads_max || bytes_ >= acknowledged_bytes_max)
      due_ = std::min(due_, now);
    return body.substr(4);
  }

  /// Whether it has come before, over another connection: its sender began this one with what we
  /// had said before that. It is acknowledged again.
  bool is_known(std::string_view body, Time now) {
    if (distance(body) >= 0) return false;
    due_ = std::min(due_, now + acknowledgement_delay_max);
    return true;
  }

  /// When an acknowledgement is due, if ever.
  Time due() const { return due_; }
  /// Appends one.
  void acknowledge(std::string& out) {
    std::string body;
    for (int shift = 56; shift >= 0; shift -= 8)
      body += static_cast<char>((received_ >> shift) & 0xff);
    put_frame(out, Kind::acknowledgement, body);
    was_acknowledged();
  }
  /// An answer to a hello does it, too.
  void was_acknowledged() {
    payloads_ = 0;
    bytes_ = 0;
    due_ = Time::max();
  }

 private:
  /// How far beyond the next one the payload of this frame is. What is none is far.
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

/// The body of an acknowledgement, or nothing if it is none.
inline std::optional<std::uint64_t> read_acknowledgement(std::string_view body) {
  if (body.size() != 8) return std::nullopt;
  return (std::uint64_t{number_at(body)} << 32) | number_at(body.substr(4));
}

}  // namespace conch::wire
