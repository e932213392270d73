#include "net/dial.hpp"

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

/// At the connecting end, SO_PEERCRED names the process that called listen(2).
std::string objection_to_other_end(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::strerror(errno);
  return objection_to_process(who, ::geteuid());
}

Dialed dial_here(const std::string& path) try {
  PrivateFolder folder(folder_of(path));
  if (!folder.is_there()) return failure("its directory no longer exists");
  std::optional<SocketName> name = name_of_path(folder.path_to(file_of(path)));
  if (!name) return failure("its path is too long for a socket");
  Dialed dialed = connect_to(*name);
  std::string why = dialed.socket ? objection_to_other_end(dialed.socket.number()) : "";
  return why.empty() ? std::move(dialed) : Dialed{{}, false, why, true};
} catch (const Untrusted& error) {
  return {{}, false, error.what(), true};
} catch (const Error& error) {
  return failure(error.what());
}

}  // namespace

const std::string& LocalHost::boot() const {
  static const std::string identifier = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string read;
    return file >> read ? read : std::string("unknown");
  }();
  return identifier;
}

std::string LocalHost::path_here(const std::string& path) const {
  std::string here = folder_.empty() ? path : folder_ + file_of(path);
  struct stat found {};
  return ::lstat(here.c_str(), &found) == 0 && S_ISSOCK(found.st_mode) ? here : "";
}

wire::Ways parse_ways(const std::string& address) {
  if (auto ways = wire::parse_address(address)) return *ways;
  if (auto way = wire::parse_host_and_port(address)) return {*way};
  return {};
}

Dialed dial(const wire::Way& way, unsigned attempt) {
  if (const auto* local = std::get_if<wire::UnixWay>(&way)) return dial_here(local->path);
  Resolved resolved = resolve(std::get<wire::TcpWay>(way), false);
  if (resolved.names.empty()) return failure(resolved.error);
  return connect_to(resolved.names[attempt % resolved.names.size()]);
}

/// Asks the system which local address it would use to reach each number: for a number of this
/// machine that is the same. A datagram socket sends nothing on connect.
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
  if (::getpeername(socket, name.get(), name.size_to_fill()) != 0) return "a closed connection";
  if (name.family() != AF_UNIX) return "tcp " + name.print();
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return "a process";
  return "process " + std::to_string(who.pid);
}

std::string objection_to_process(const ucred& process, uid_t user) {
  if (process.uid == user) return "";
  return "process " + std::to_string(process.pid) + " of user " + std::to_string(process.uid) +
         " listens there, and this is user " + std::to_string(user) +
         ": not a peer of this user; remove the socket, and find out how it got there";
}

bool is_of_same_user(int socket) { return objection_to_other_end(socket).empty(); }

}  // namespace conch::net
