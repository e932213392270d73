#include "floor.hpp"

#include <sys/socket.h>

#include <array>

#include "cell.hpp"
#include "shared.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

using Message = std::array<char, 64>;

void put(int fd, const Message& message) {
  if (send(fd, message.data(), message.size(), MSG_NOSIGNAL) != ssize_t{sizeof message})
    throw std::runtime_error("the other end of the ping-pong is gone");
}

bool get(int fd, Message& message) {
  return recv(fd, message.data(), message.size(), MSG_WAITALL) == ssize_t{sizeof message};
}

std::string echo(int fd) {
  Message message{};
  while (get(fd, message)) put(fd, message);
  return {};
}

double play(int fd, double seconds) {
  Message message{};
  std::vector<double> ways_ns;
  std::uint64_t end_ns = now_ns() + static_cast<std::uint64_t>(seconds * 1e9);
  for (std::uint64_t begin = now_ns(); begin < end_ns;) {
    put(fd, message);
    if (!get(fd, message)) throw std::runtime_error("the ping-pong was broken off");
    std::uint64_t end = now_ns();
    ways_ns.push_back(static_cast<double>(end - begin) / 2);
    begin = end;
  }
  return median(std::move(ways_ns));
}

}  // namespace

double ping_pong_ns(Transport transport, double seconds) {
  Ends pair = connected(transport);
  Process echoing([&] {
    pair.ours = {};
    return echo(pair.theirs.number());
  });
  Process playing([&] { return std::to_string(play(pair.ours.number(), seconds)); });
  return std::stod(playing.finish(in(std::chrono::duration<double>(seconds) + 30s)));
}

}  // namespace conch::bench
