#include "net/socket.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace conch::net {

namespace {

Transfer outcome_of_errno() {
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Flow::later};
  return {Flow::failed, 0, std::strerror(errno)};
}

}  // namespace

void Socket::close() {
  // A child that was forked has it open, too: only this tells the other side.
  if (is_open()) ::shutdown(number(), SHUT_RDWR);
  tls_.reset();
  Descriptor closed = std::move(descriptor_);
}

Transfer Socket::receive(char* into, std::size_t bytes) {
  if (tls_) return tls_->receive(into, bytes);
  ssize_t got = ::recv(number(), into, bytes, MSG_DONTWAIT);
  if (got > 0) return {Flow::moved, static_cast<std::size_t>(got)};
  if (got == 0) return {Flow::ended};
  return outcome_of_errno();
}

Transfer Socket::send(std::string_view bytes) {
  if (tls_) return tls_->send(bytes);
  ssize_t taken = ::send(number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (taken >= 0) return {Flow::moved, static_cast<std::size_t>(taken)};
  return outcome_of_errno();
}

}  // namespace conch::net
