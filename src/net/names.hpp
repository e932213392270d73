// Socket addresses in the system's form (sockaddr), and name lookup.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "wire/address.hpp"

namespace conch::net {

class SocketName {
 public:
  SocketName() = default;
  SocketName(const void* bytes, socklen_t size);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }
  /// For calls that fill in the address.
  socklen_t* size_to_fill() { return &(size_ = sizeof storage_); }

  int family() const { return storage_.ss_family; }
  /// Only this machine reaches it.
  bool is_loopback() const;
  /// It stands for all addresses of the machine (0.0.0.0 or ::).
  bool is_wildcard() const;
  /// For TCP addresses only; the host is numeric.
  wire::TcpWay way() const;
  std::string print() const { return wire::print(way()); }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// Returns nothing if the path is too long.
std::optional<SocketName> name_of_path(const std::string& path);

struct Resolved {
  std::vector<SocketName> names;
  /// Set if there are no names.
  std::string error = {};
};
Resolved resolve(const wire::TcpWay& way, bool to_listen);

/// Disables Nagle's algorithm, and lets the system notice a peer that has gone silently.
void prepare_tcp(int socket);

}  // namespace conch::net
