#include "net/loopback.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace conch::net {

ReservedPort::ReservedPort()
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  int yes = 1;
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  auto* address = reinterpret_cast<sockaddr*>(&name);
  bool bound = socket_ &&
               ::setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
               ::bind(socket_.number(), address, size) == 0 &&
               ::getsockname(socket_.number(), address, &size) == 0;
  if (!bound) throw std::system_error(errno, std::generic_category(), "no free port");
  number_ = ntohs(name.sin_port);
}

}  // namespace conch::net
