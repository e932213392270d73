#include "net/names.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cstring>
#include <memory>

#include "wire/limits.hpp"

namespace conch::net {

namespace {

template <class Address>
Address as(const sockaddr* name) {
  Address address{};
  std::memcpy(&address, name, sizeof address);
  return address;
}

void set(int socket, int level, int option, int value) {
  // Ignore failure: these options only refine the connection.
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

SocketName::SocketName(const void* bytes, socklen_t size) : size_(size) {
  std::memcpy(&storage_, bytes, std::min<std::size_t>(size, sizeof storage_));
}

bool SocketName::is_loopback() const {
  if (family() == AF_INET)
    return (ntohl(as<sockaddr_in>(get()).sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
  auto six = as<sockaddr_in6>(get());
  return family() == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
}

bool SocketName::is_wildcard() const {
  if (family() == AF_INET) return as<sockaddr_in>(get()).sin_addr.s_addr == htonl(INADDR_ANY);
  auto six = as<sockaddr_in6>(get());
  return family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr);
}

wire::TcpWay SocketName::way() const {
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "0";
  ::getnameinfo(get(), size_, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
  return {host, static_cast<std::uint16_t>(std::atoi(port))};
}

std::optional<SocketName> name_of_path(const std::string& path) {
  sockaddr_un name{};
  if (path.empty() || path.size() >= sizeof name.sun_path) return std::nullopt;
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  return SocketName(&name, sizeof name);
}

Resolved resolve(const wire::TcpWay& way, bool to_listen) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  addrinfo* list = nullptr;
  std::string port = std::to_string(way.port);
  int error = ::getaddrinfo(way.host.c_str(), port.c_str(), &hints, &list);
  if (error == EAI_NONAME) {
    hints.ai_flags &= ~AI_NUMERICHOST;
    error = ::getaddrinfo(way.host.c_str(), port.c_str(), &hints, &list);
  }
  if (error != 0) return {{}, ::gai_strerror(error)};
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  Resolved resolved;
  for (const addrinfo* each = list; each; each = each->ai_next)
    resolved.names.emplace_back(each->ai_addr, each->ai_addrlen);
  return resolved;
}

void prepare_tcp(int socket) {
  auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(wire::silence_max);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(patience.count()));
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

}  // namespace conch::net
