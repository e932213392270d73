#include "net/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <random>
#include <system_error>

namespace conch::net {

std::string own_loopback_host() {
  std::random_device device;
  std::uniform_int_distribution<unsigned> part(1, 254);
  std::string host = "127";
  for (int i = 0; i < 3; ++i) host += "." + std::to_string(part(device));
  return host;
}

BoundSocket bind_to_free_port(const std::string& host) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  socklen_t size = sizeof name;
  auto* address = reinterpret_cast<sockaddr*>(&name);
  bool bound = socket && ::inet_pton(AF_INET, host.c_str(), &name.sin_addr) == 1 &&
               ::bind(socket.number(), address, size) == 0 &&
               ::getsockname(socket.number(), address, &size) == 0;
  if (!bound) throw std::system_error(errno, std::generic_category(), "no free port on " + host);
  return {std::move(socket), ntohs(name.sin_port)};
}

}  // namespace conch::net
