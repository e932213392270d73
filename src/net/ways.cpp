#include "net/ways.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "net/names.hpp"
#include "wire/limits.hpp"

namespace conch::net {

namespace {

Dialed failure(const std::string& why) { return {{}, false, why}; }
Dialed failure() { return failure(std::strerror(errno)); }

Dialed connect_to(const SocketName& name) {
  int kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  Descriptor socket(::socket(name.family(), kind, 0));
  if (!socket) return failure();
  if (name.family() != AF_UNIX) prepare_tcp(socket.number());
  if (::connect(socket.number(), name.get(), name.size()) == 0) return {std::move(socket), true};
  if (errno == EINPROGRESS) return {std::move(socket), false};
  return failure();
}

}  // namespace

const std::string& Here::boot() const {
  static const std::string identifier = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string read;
    return file >> read ? read : std::string("unknown");
  }();
  return identifier;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/') + 1);
}

bool Here::is_socket(const std::string& path) const {
  if (!folder_.empty() && folder_of(path) != folder_) return false;
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

wire::Ways parse_ways(const std::string& address) {
  if (auto ways = wire::parse_address(address)) return *ways;
  if (auto way = wire::parse_host_and_port(address)) return {*way};
  return {};
}

Dialed dial(const wire::Way& way, unsigned attempt) {
  if (const auto* local = std::get_if<wire::UnixWay>(&way)) {
    std::optional<SocketName> name = name_of_path(local->path);
    return name ? connect_to(*name) : failure("its path is too long for a socket");
  }
  Resolved resolved = resolve(std::get<wire::TcpWay>(way), false);
  if (resolved.names.empty()) return failure(resolved.error);
  return connect_to(resolved.names[attempt % resolved.names.size()]);
}

/// The system would take the same number for this end of a connection. Asking it sends nothing.
bool leads_here(const wire::TcpWay& way) {
  for (const SocketName& name : resolve(way, false).names) {
    Descriptor socket(::socket(name.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket || ::connect(socket.number(), name.get(), name.size()) != 0) continue;
    SocketName own;
    bool known = ::getsockname(socket.number(), own.get(), own.size_to_fill()) == 0;
    if (known && own.way().host == name.way().host) return true;
  }
  return false;
}

std::string connection_error(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? "" : std::strerror(error);
}

std::string describe_other_end(int socket) {
  SocketName name;
  if (::getpeername(socket, name.get(), name.size_to_fill()) != 0) return "somebody who has gone";
  if (name.family() != AF_UNIX) return "tcp " + name.print();
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return "a process";
  return "process " + std::to_string(who.pid);
}

bool is_of_same_user(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  bool known = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  return known && who.uid == ::geteuid();
}

}  // namespace conch::net
