#include "connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace conch::bench {

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void send_at_once(const Descriptor& socket) {
  int on = 1;
  setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Descriptor tcp_socket() {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.number() < 0) fail("socket");
  send_at_once(socket);
  return socket;
}

}  // namespace

Descriptor connect_to(std::uint16_t port) {
  Descriptor socket = tcp_socket();
  sockaddr_in address = loopback(port);
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("connect");
  return socket;
}

Descriptor connect_to(const std::filesystem::path& unix_socket) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.number() < 0) fail("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string path = unix_socket.string();
  if (path.size() >= sizeof address.sun_path)
    throw std::runtime_error("the path of a Unix socket is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("connect");
  return socket;
}

Ends connected(Transport transport) {
  if (transport == Transport::tcp) {
    Descriptor listener = listen_anywhere();
    Descriptor ours = connect_to(port_of(listener));
    return {std::move(ours), accept_without_delay(listener.number())};
  }
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor listen_anywhere() {
  Descriptor socket = tcp_socket();
  sockaddr_in address = loopback(0);
  if (bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("bind");
  if (listen(socket.number(), 64) != 0) fail("listen");
  return socket;
}

Descriptor accept_without_delay(int listener) {
  Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.number() < 0) fail("accept");
  send_at_once(socket);
  return socket;
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    fail("getsockname");
  return ntohs(address.sin_port);
}

void Connection::send(std::string_view message) {
  ++traffic_.messages;
  traffic_.bytes += message.size();
  while (!message.empty()) {
    ssize_t sent = ::send(socket_.number(), message.data(), message.size(), MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    message.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Connection::send(std::string_view head, std::string_view middle, std::string_view tail) {
  std::array<iovec, 3> parts{};
  std::size_t size = 0;
  for (std::size_t i = 0; std::string_view part : {head, middle, tail}) {
    parts[i++] = {const_cast<char*>(part.data()), part.size()};
    size += part.size();
  }
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ++traffic_.messages;
  traffic_.bytes += size;
  if (sendmsg(socket_.number(), &message, MSG_NOSIGNAL) != static_cast<ssize_t>(size))
    fail("sendmsg");
}

void Connection::receive() {
  std::array<char, 4096> part;  // not initialised, because that would be measured
  ssize_t size = recv(socket_.number(), part.data(), part.size(), 0);
  if (size < 0) fail("recv");
  if (size == 0) throw std::runtime_error("the server has closed the connection");
  traffic_.bytes += static_cast<std::size_t>(size);
  buffer_.append(part.data(), static_cast<std::size_t>(size));
}

std::string_view Connection::take(std::size_t size) {
  std::string_view taken = std::string_view(buffer_).substr(taken_, size);
  taken_ += size;
  return taken;
}

std::string_view Connection::exactly(std::size_t size) {
  buffer_.erase(0, std::exchange(taken_, 0));
  while (buffer_.size() < size) receive();
  return take(size);
}

void Connection::read_into(std::span<char> bytes) {
  buffer_.erase(0, std::exchange(taken_, 0));
  std::size_t here = std::min(buffer_.size(), bytes.size());
  std::memcpy(bytes.data(), take(here).data(), here);
  for (bytes = bytes.subspan(here); !bytes.empty();) {
    ssize_t size = recv(socket_.number(), bytes.data(), bytes.size(), 0);
    if (size < 0) fail("recv");
    if (size == 0) throw std::runtime_error("the server has closed the connection");
    traffic_.bytes += static_cast<std::size_t>(size);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
}

std::string_view Connection::line() {
  buffer_.erase(0, std::exchange(taken_, 0));
  for (;;) {
    std::size_t end = buffer_.find("\r\n");
    if (end != std::string::npos) {
      std::string_view line = take(end);
      taken_ += 2;
      return line;
    }
    receive();
  }
}

}  // namespace conch::bench
