#include "rig/wire.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "net/clock.hpp"
#include "net/poller.hpp"

namespace conch::rig {

Wire::Wire(std::vector<net::Descriptor> ends, std::uint64_t seed) : ends_(std::move(ends)) {
  for (std::size_t from = 0; from < ends_.size(); ++from) {
    poller_.add(ends_[from].number(), net::Poller::first_free + from, EPOLLIN);
    for (std::size_t to = 0; to < ends_.size(); ++to)
      if (from != to) lines_.emplace(Direction{from, to}, EmulatedLine(seed, {from, to}));
  }
  thread_ = std::thread([this] { run(); });
}

Wire::~Wire() {
  {
    std::lock_guard guard(mutex_);
    is_over_ = true;
  }
  poller_.poke();
  thread_.join();
}

void Wire::set(const Quality& quality) {
  std::lock_guard guard(mutex_);
  for (auto& [way, line] : lines_) line.set(quality);
}

void Wire::set(Direction way, const Quality& quality) {
  std::lock_guard guard(mutex_);
  lines_.at(way).set(quality);
}

void Wire::part(const std::vector<std::size_t>& sites, bool one_way) {
  auto is_of_them = [&](std::size_t site) { return std::ranges::count(sites, site) > 0; };
  std::lock_guard guard(mutex_);
  for (auto& [way, line] : lines_) {
    bool goes_out = is_of_them(way.from) && !is_of_them(way.to);
    bool comes_in = !is_of_them(way.from) && is_of_them(way.to);
    if (goes_out || (comes_in && !one_way)) cut(way, line);
  }
}

void Wire::cut(Direction way, EmulatedLine& line) {
  line.cut(std::erase_if(deliveries_, [&](const auto& each) { return each.second.way == way; }));
}

void Wire::heal() {
  std::lock_guard guard(mutex_);
  for (auto& [way, line] : lines_) line.heal();
}

Traffic Wire::traffic(Direction way) const {
  std::lock_guard guard(mutex_);
  return lines_.at(way).traffic();
}

Traffic Wire::traffic() const {
  std::lock_guard guard(mutex_);
  Traffic all;
  for (const auto& [way, line] : lines_) all = all + line.traffic();
  return all;
}

void Wire::run() {
  for (;;) {
    net::Readiness ready =
        poller_.wait(deliveries_.empty() ? Time::max() : deliveries_.begin()->first);
    std::lock_guard guard(mutex_);
    if (is_over_) return;
    for (int i = 0; i < ready.count; ++i) {
      net::Serial serial = ready.events[static_cast<std::size_t>(i)].data.u64;
      if (serial >= net::Poller::first_free)
        read_some(serial - net::Poller::first_free);
      else
        poller_.silence();
    }
    deliver_due();
  }
}

/// Reads only a few packets at a time, so that due packets do not wait.
void Wire::read_some(std::size_t from) {
  std::array<char, 65536> room;
  for (int packets = 0; packets < 64; ++packets) {
    ssize_t size = ::read(ends_[from].number(), room.data(), room.size());
    if (size <= 0) return;
    take(from, {room.data(), static_cast<std::size_t>(size)});
  }
}

/// Ignores packets to other destinations: the kernel looks for routers now and then.
void Wire::take(std::size_t from, std::string_view bytes) {
  std::optional<Packet> packet = Packet::read(bytes);
  if (!packet) return;
  for (std::size_t to = 0; to < ends_.size(); ++to) {
    if (to == from || packet->destination() != address_of(to)) continue;
    Direction way{from, to};
    for (Time at : lines_.at(way).carry(*packet, bytes.size(), net::steady_now()))
      deliveries_.emplace(at, Delivery{way, std::string(bytes)});
  }
}

void Wire::deliver_due() {
  while (!deliveries_.empty() && deliveries_.begin()->first <= net::steady_now()) {
    const auto& [way, bytes] = deliveries_.begin()->second;
    // A write that the site does not take is a lost packet; its sender sends it again.
    if (::write(ends_[way.to].number(), bytes.data(), bytes.size()) > 0) lines_.at(way).deliver();
    deliveries_.erase(deliveries_.begin());
  }
}

}  // namespace conch::rig
