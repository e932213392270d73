// What one entry cost this peer.
#pragma once

#include <chrono>
#include <cstdint>

namespace conch {

struct Receipt {
  /// From the call until the lock was entered.
  std::chrono::nanoseconds wait{};
  /// Messages about this lock that this peer sent and received during the wait.
  std::uint32_t messages_sent = 0;
  std::uint32_t messages_received = 0;
  /// Bytes of those messages, with their frames.
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

}  // namespace conch
