// Where a peer can be reached: a list of ways, as one line that a Member carries:
//
//   unix:BOOT:/home/ann/.local/state/conch/default/sockets/BOOT/peer.7.sock tcp:10.0.0.7:4711
//
// A Unix socket is named with the boot of its machine, for a path means something only there. In a
// path, whatever is no visible ASCII character, and %, is written as % and two hexadecimal digits.
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
  /// A name or a number; an IPv6 number without its brackets.
  std::string host;
  std::uint16_t port = 0;
  CONCH_FIELDS(TcpWay, host, port)
};

using Way = std::variant<UnixWay, TcpWay>;
/// In the order of preference of whoever wrote it.
using Ways = std::vector<Way>;

std::string print(const TcpWay& way);
std::string print(const Way& way);
std::string print(const Ways& ways);

/// `host:port`, or nothing.
std::optional<TcpWay> parse_host_and_port(std::string_view text);
/// Nothing if one of the ways is malformed, there is none, or the line is too long.
std::optional<Ways> parse_address(std::string_view text);

/// What a dialer knows of its own machine.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual const std::string& boot() const = 0;
  /// Where the socket is that a peer of this boot calls so; empty if it is not here.
  virtual std::string path_here(const std::string& path) const = 0;
};

/// Those that may lead there from here, the Unix sockets first, unless only TCP is wanted.
Ways usable(const Ways& ways, const Surroundings& here, bool tcp_only);

}  // namespace conch::wire
