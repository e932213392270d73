#include "net/socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "net/patience.hpp"

namespace conch::net {

namespace {

IoResult outcome_of_errno() {
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {Flow::later};
  return {Flow::failed, 0, std::strerror(errno)};
}

int waiting(bool blocks) { return blocks ? 0 : MSG_DONTWAIT; }

/// Room for the control data of a message: 8 descriptors. The system closes those that do not fit.
struct Besides {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> bytes{};
};

/// Takes ownership of all descriptors that came: keeps the first ones, up to descriptors_max, and
/// closes the rest.
void keep_first(msghdr& message, std::vector<Descriptor>& passed) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
      Descriptor each(number);
      if (passed.size() < Socket::descriptors_max) passed.push_back(std::move(each));
    }
  }
}

}  // namespace

void Socket::close() {
  // A forked child may have the socket open, too, so only shutdown tells the other side.
  if (is_open()) ::shutdown(number(), SHUT_RDWR);
  tls_.reset();
  Descriptor closed = std::move(descriptor_);
}

Awaited Socket::await(short events, Time until, int interrupt) const {
  if (is_secured()) events = wants_to_write() ? POLLOUT : POLLIN;
  std::array sources{pollfd{number(), events, 0}, pollfd{interrupt, POLLIN, 0}};
  while (::poll(sources.data(), sources.size(), milliseconds_until(until)) <= 0)
    if (steady_now() >= until) return Awaited::late;
  return sources[1].revents != 0 ? Awaited::interrupted : Awaited::ready;
}

void Socket::block_for(Duration patience) {
  auto micros = std::chrono::ceil<std::chrono::microseconds>(patience).count();
  timeval most{micros / 1'000'000, micros % 1'000'000};
  int flags = ::fcntl(number(), F_GETFL);
  blocks_ = !tls_ && flags >= 0 &&
            ::setsockopt(number(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) == 0 &&
            ::setsockopt(number(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) == 0 &&
            ::fcntl(number(), F_SETFL, flags & ~O_NONBLOCK) == 0;
}

IoResult Socket::receive(char* into, std::size_t bytes) {
  if (tls_) return tls_->receive(into, bytes);
  ssize_t got = ::recv(number(), into, bytes, waiting(blocks_));
  if (got > 0) return {Flow::moved, static_cast<std::size_t>(got)};
  if (got == 0) return {Flow::ended};
  return outcome_of_errno();
}

IoResult Socket::send(std::string_view bytes) {
  if (tls_) return tls_->send(bytes);
  ssize_t taken = ::send(number(), bytes.data(), bytes.size(), waiting(blocks_) | MSG_NOSIGNAL);
  if (taken >= 0) return {Flow::moved, static_cast<std::size_t>(taken)};
  return outcome_of_errno();
}

IoResult Socket::send(std::string_view bytes, std::span<const int> descriptors) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  Besides besides;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = besides.bytes.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  ssize_t taken = ::sendmsg(number(), &message, waiting(blocks_) | MSG_NOSIGNAL);
  if (taken >= 0) return {Flow::moved, static_cast<std::size_t>(taken)};
  return outcome_of_errno();
}

IoResult Socket::receive(char* into, std::size_t bytes, Descriptor& passed) {
  std::vector<Descriptor> all;
  IoResult got = receive(into, bytes, all);
  if (!passed && !all.empty()) passed = std::move(all.front());
  return got;
}

IoResult Socket::receive(char* into, std::size_t bytes, std::vector<Descriptor>& passed) {
  iovec part{into, bytes};
  Besides besides;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = besides.bytes.data();
  message.msg_controllen = besides.bytes.size();
  ssize_t got = ::recvmsg(number(), &message, waiting(blocks_) | MSG_CMSG_CLOEXEC);
  if (got < 0) return outcome_of_errno();
  keep_first(message, passed);
  if (got == 0) return {Flow::ended};
  return {Flow::moved, static_cast<std::size_t>(got)};
}

}  // namespace conch::net
