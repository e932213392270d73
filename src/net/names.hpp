// The system's own form of an address.
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
  /// For calls that fill it in.
  socklen_t* size_to_fill() { return &(size_ = sizeof storage_); }

  int family() const { return storage_.ss_family; }
  /// Nobody of another machine reaches it.
  bool is_loopback() const;
  /// It stands for all addresses of the machine.
  bool is_wildcard() const;
  /// Of a TCP name, in numbers.
  wire::TcpWay way() const;
  std::string print() const { return wire::print(way()); }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// Nothing if the path is too long.
std::optional<SocketName> name_of_path(const std::string& path);

struct Resolved {
  std::vector<SocketName> names;
  /// If there are none.
  std::string error = {};
};
Resolved resolve(const wire::TcpWay& way, bool to_listen);

/// No waiting for more to send; and whoever has gone without a word is noticed.
void prepare_tcp(int socket);

}  // namespace conch::net
