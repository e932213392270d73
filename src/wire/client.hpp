// A client: a process of this machine that is no peer, and came through the Unix socket.
#pragma once

#include <cstdint>

namespace conch::wire {

enum class ClientId : std::uint64_t {};

/// The process that opened the connection, as the kernel knows it.
struct ClientProcess {
  /// 0 if the process cannot be seen from here.
  std::uint64_t id = 0;
  std::uint32_t user = 0;
};

}  // namespace conch::wire
