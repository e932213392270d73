#include "cli/slow_wire.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace conch::cli {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void hurry(int socket) {
  int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

SlowWire::PeerAddresses SlowWire::add_peer() {
  const Listener& listener = listeners_.emplace_back();
  if (::listen(listener.own.socket().number(), SOMAXCONN) != 0)
    fail("cannot listen on " + listener.own.address());
  return {listener.leads_to.address(), listener.own.address()};
}

/// If nothing listens at the target, the client sees its connection closed.
void SlowWire::accept(const Listener& listener) {
  net::Descriptor near(
      ::accept4(listener.own.socket().number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  net::Descriptor far(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(listener.leads_to.number());
  bool connected =
      near && far && ::connect(far.number(), reinterpret_cast<sockaddr*>(&name), sizeof name) == 0;
  if (!connected) return;
  for (const net::Descriptor* end : {&near, &far}) hurry(end->number());
  connections_.push_back({{std::move(near), std::move(far)}, {}});
}

void SlowWire::read(Connection& connection, std::size_t end) const {
  std::array<char, 65536> bytes;
  Flow& flow = connection.flows[end];
  ssize_t count = ::recv(connection.ends[end].number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count > 0) {
    flow.batches.push_back(
        {now_ns() + delay_ns_, std::string(bytes.data(), static_cast<std::size_t>(count))});
  } else if (count == 0) {
    flow.ended = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    connection.broken = true;
  }
}

/// Sends those bytes from this end to the other one that are due.
void SlowWire::write(Connection& connection, std::size_t end) const {
  Flow& flow = connection.flows[end];
  int to = connection.ends[1 - end].number();
  while (!flow.batches.empty() && flow.batches.front().due_ns <= now_ns()) {
    std::string& bytes = flow.batches.front().bytes;
    ssize_t count = ::send(to, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      connection.broken = errno != EAGAIN && errno != EINTR;
      return;
    }
    bytes.erase(0, static_cast<std::size_t>(count));
    if (!bytes.empty()) return;
    flow.batches.pop_front();
  }
  if (flow.ended && flow.batches.empty()) ::shutdown(to, SHUT_WR);
}

void SlowWire::run() {
  for (;;) {
    wait();
    for (Connection& connection : connections_)
      for (std::size_t end : {0U, 1U}) write(connection, end);
    std::erase_if(connections_, [](const Connection& connection) {
      auto done = [](const Flow& flow) { return flow.ended && flow.batches.empty(); };
      return connection.broken || std::ranges::all_of(connection.flows, done);
    });
  }
}

/// Waits until something arrives or is due, and reads what has arrived.
void SlowWire::wait() {
  std::vector<pollfd> sources;
  for (const Listener& listener : listeners_)
    sources.push_back({listener.own.socket().number(), POLLIN, 0});
  std::uint64_t due_ns = UINT64_MAX;
  for (const Connection& connection : connections_) {
    for (std::size_t end : {0U, 1U}) {
      const Flow& flow = connection.flows[end];
      // A connection that has ended is always readable, so it is not polled.
      sources.push_back({flow.ended ? -1 : connection.ends[end].number(), POLLIN, 0});
      if (!flow.batches.empty()) due_ns = std::min(due_ns, flow.batches.front().due_ns);
    }
  }
  // Retries soon if the receiver takes nothing.
  constexpr std::uint64_t soon_ns = 1'000'000;
  std::uint64_t now = now_ns();
  std::uint64_t left_ns = due_ns == UINT64_MAX ? 1'000'000'000
                          : due_ns > now       ? due_ns - now
                                               : soon_ns;
  timespec timeout{static_cast<time_t>(left_ns / 1'000'000'000),
                   static_cast<long>(left_ns % 1'000'000'000)};
  if (::ppoll(sources.data(), sources.size(), &timeout, nullptr) <= 0) return;
  auto source = sources.begin() + static_cast<std::ptrdiff_t>(listeners_.size());
  for (Connection& connection : connections_)
    for (std::size_t end : {0U, 1U})
      if ((source++)->revents != 0 && !connection.flows[end].ended) read(connection, end);
  for (std::size_t listener = 0; listener < listeners_.size(); ++listener)
    if (sources[listener].revents != 0) accept(listeners_[listener]);
}

}  // namespace conch::cli
