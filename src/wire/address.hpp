// The address of a peer: a list of ways to reach it, as one line that a Member carries:
//
// unix:BOOT:/home/ann/.local/state/conch/default/sockets/BOOT/peer.7.sock tcp:10.0.0.7:4711
//
// A Unix socket is named with the boot id of its machine, because a path means something only
// there. In a path, % and every character that is not visible ASCII are written as % and two
// hexadecimal digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/fields.hpp"

namespace conch::wire {

struct UnixWay {
  std::string boot;
  std::string path;
  CONCH_FIELDS(UnixWay, boot, path)
};

struct TcpWay {
  /// A name or an IP address; an IPv6 address has no brackets here.
  std::string host;
  std::uint16_t port = 0;
  CONCH_FIELDS(TcpWay, host, port)
};

using Way = std::variant<UnixWay, TcpWay>;
/// In the order in which the peer that wrote them prefers them.
using Ways = std::vector<Way>;

std::string print(const TcpWay& way);
std::string print(const Way& way);
std::string print(const Ways& ways);

/// Parses `host:port`; empty if the text is malformed.
std::optional<TcpWay> parse_host_and_port(std::string_view text);
/// Empty if a way is malformed, there is none, or the line is too long.
std::optional<Ways> parse_address(std::string_view text);

/// What a dialer knows about its own machine.
class HostInfo {
 public:
  virtual ~HostInfo() = default;
  virtual const std::string& boot() const = 0;
  /// The path by which this process reaches a socket that a peer of the same boot calls by `path`;
  /// empty if it is not here.
  virtual std::string path_here(const std::string& path) const = 0;
};

/// The ways that may work from here, Unix sockets first; no Unix sockets if `tcp_only`.
Ways usable(const Ways& ways, const HostInfo& here, bool tcp_only);

}  // namespace conch::wire
