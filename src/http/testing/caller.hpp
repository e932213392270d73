// A client of the HTTP server for tests.
#pragma once

#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "http/server.hpp"
#include "net/names.hpp"

namespace conch::http::testing {

/// One plain TCP connection.
class Caller {
 public:
  explicit Caller(const HttpServer& server)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    auto way = wire::parse_host_and_port(server.address());
    net::SocketName name = net::resolve(*way, false).names.at(0);
    if (::connect(socket_.number(), name.get(), name.size()) != 0)
      throw std::runtime_error("cannot connect");
  }
  void say(std::string_view text) const {
    ::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// Reads until the server hangs up.
  std::string hear() const {
    return hear_until([](const std::string&) { return false; });
  }
  template <class Predicate>
  std::string hear_until(Predicate&& enough) const {
    std::string heard;
    std::array<char, 4096> bytes;
    ssize_t size = 0;
    while (!enough(heard) && (size = ::recv(socket_.number(), bytes.data(), bytes.size(), 0)) > 0)
      heard.append(bytes.data(), static_cast<std::size_t>(size));
    return heard;
  }
  std::string ask(std::string_view request) const {
    say(request);
    return hear();
  }

 private:
  net::Descriptor socket_;
};

}  // namespace conch::http::testing
