// A process of this machine that is no peer: it came through the Unix socket.
#pragma once

#include <cstdint>

namespace conch::wire {

enum class ClientId : std::uint64_t {};

/// As the kernel knows it: who has opened the connection.
struct ClientProcess {
  /// 0 if it cannot be seen from here.
  std::uint64_t id = 0;
  std::uint32_t user = 0;
};

}  // namespace conch::wire
