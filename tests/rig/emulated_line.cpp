#include "rig/emulated_line.hpp"

#include <algorithm>
#include <functional>

namespace conch::rig {

namespace {

template <class Operation>
Traffic combine(const Traffic& a, const Traffic& b, Operation&& operation) {
  Traffic c;
  for (auto counter :
       {&Traffic::packets, &Traffic::bytes, &Traffic::segments, &Traffic::delivered, &Traffic::lost,
        &Traffic::cut, &Traffic::overflowed, &Traffic::duplicated, &Traffic::clogged})
    c.*counter = operation(a.*counter, b.*counter);
  return c;
}

Duration share(double part, Duration whole) {
  return Duration(static_cast<Duration::rep>(part * static_cast<double>(whole.count())));
}

}  // namespace

Traffic operator+(const Traffic& a, const Traffic& b) { return combine(a, b, std::plus{}); }
Traffic operator-(const Traffic& now, const Traffic& before) {
  return combine(now, before, std::minus{});
}

EmulatedLine::EmulatedLine(std::uint64_t seed, Direction way)
    : random_(seed, way.from << 32 | way.to) {}

std::vector<Time> EmulatedLine::carry(const Packet& packet, std::size_t bytes, Time now) {
  bool is_lost = random_.uniform() < quality_.lose;
  bool is_doubled = random_.uniform() < quality_.duplicate;
  bool is_clogged = random_.uniform() < quality_.clog.chance;
  Duration jitter = share(random_.uniform(), quality_.jitter);
  Duration jitter_of_copy = share(random_.uniform(), quality_.jitter);

  ++traffic_.packets;
  traffic_.bytes += bytes;
  if (packet.tcp_payload() > 0) ++traffic_.segments;

  if (is_cut_) return ++traffic_.cut, std::vector<Time>{};
  Time sent = this->sent(bytes, now);
  if (sent - now > quality_.backlog_max) return ++traffic_.overflowed, std::vector<Time>{};
  free_from_ = sent;
  if (is_lost) return ++traffic_.lost, std::vector<Time>{};

  Time arrival = sent + quality_.delay;
  std::vector<Time> arrivals;
  if (is_clogged) {
    ++traffic_.clogged;
    arrivals.push_back(arrival + jitter + quality_.clog.delay);
  } else {
    arrivals.push_back(in_order(arrival + jitter));
  }
  if (is_doubled) {
    ++traffic_.duplicated;
    arrivals.push_back(in_order(arrival + jitter_of_copy));
  }
  return arrivals;
}

void EmulatedLine::cut(std::uint64_t on_their_way) {
  is_cut_ = true;
  traffic_.cut += on_their_way;
  free_from_ = last_arrival_ = {};
}

Time EmulatedLine::sent(std::size_t bytes, Time now) const {
  if (quality_.bytes_per_second == 0) return now;
  double seconds = static_cast<double>(bytes) / static_cast<double>(quality_.bytes_per_second);
  return std::max(now, free_from_) + share(seconds, std::chrono::seconds(1));
}

Time EmulatedLine::in_order(Time arrival) {
  return last_arrival_ = std::max(last_arrival_, arrival);
}

}  // namespace conch::rig
