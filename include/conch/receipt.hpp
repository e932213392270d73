// What an entry cost this peer.
#pragma once

#include <chrono>
#include <cstdint>

namespace conch {

struct Receipt {
  /// From the call to being inside.
  std::chrono::nanoseconds wait{};
  /// Of this lock, sent and received here between the two.
  std::uint32_t messages_sent = 0;
  std::uint32_t messages_received = 0;
  /// Of those messages, with their frames.
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

}  // namespace conch
