#include "chaos/nemesis.hpp"

#include <algorithm>
#include <csignal>

namespace conch::chaos {

using namespace std::chrono_literals;

std::string_view word(Kind kind) {
  switch (kind) {
    case Kind::kill: return "kill";
    case Kind::stop: return "stop";
    case Kind::leave: return "leave";
    case Kind::part: return "part";
    case Kind::part_one_way: return "part-one-way";
    case Kind::register_away: return "register-away";
    case Kind::bad_lines: return "bad-lines";
    case Kind::narrow_lines: return "narrow-lines";
    case Kind::set_clock: return "set-clock";
    case Kind::reboot: return "reboot";
    case Kind::kill_etcd: return "kill-etcd";
  }
  return "?";
}

namespace {

rig::Quality bad_lines() {
  return {.delay = 5ms, .jitter = 10ms, .lose = 0.1, .duplicate = 0.1, .clog = {0.1, 40ms}};
}
rig::Quality narrow_lines() { return {.delay = 20ms, .jitter = 5ms, .bytes_per_second = 300'000}; }

}  // namespace

rig::Quality good_lines() { return {.delay = 1ms, .jitter = 1ms}; }

Duration Nemesis::some(double least, double most) {
  double leases = least + random_.uniform() * (most - least);
  return Duration(static_cast<Duration::rep>(leases * static_cast<double>(temper_.lease.count())));
}

Fault Nemesis::next() {
  if (to_come_.empty()) to_come_.assign(temper_.kinds.begin(), temper_.kinds.end());
  auto chosen = to_come_.begin() + static_cast<std::ptrdiff_t>(random_.below(to_come_.size()));
  Fault fault{.kind = *chosen};
  to_come_.erase(chosen);
  double pauses = 0.5 + random_.uniform();
  fault.after =
      Duration(static_cast<Duration::rep>(pauses * static_cast<double>(temper_.pause.count())));
  fault.seat = random_.below(temper_.seats);
  fault.aims = random_.chance(temper_.hunts ? 1 : 0.7);
  // If one site alone has the register, only register_away cuts it off, not part.
  fault.site =
      temper_.has_etcd ? random_.below(temper_.sites) : 1 + random_.below(temper_.sites - 1);
  fault.clock = std::chrono::seconds(random_.below(200'000)) - 100'000s;
  fault.quality = random_.chance(temper_.is_precise ? 0 : 0.4) ? bad_lines() : good_lines();
  fault.lasts = some(0.2, 2.5);
  switch (fault.kind) {
    case Kind::kill:
    case Kind::kill_etcd:
    case Kind::leave: fault.lasts = some(0.05, 0.5); break;
    case Kind::reboot:
      fault.lasts = some(0.05, 0.5);
      fault.site = random_.below(temper_.sites);
      break;
    case Kind::bad_lines: fault.quality = bad_lines(); break;
    case Kind::narrow_lines: fault.quality = narrow_lines(); break;
    case Kind::set_clock: fault.lasts = 0s; break;
    case Kind::stop:
    case Kind::part:
    case Kind::part_one_way:
    case Kind::register_away: break;
  }
  if (temper_.has_etcd) hit_etcd(fault);
  return fault;
}

/// A stopped member wakes up later without knowing that it slept; a killed one knows. One member of
/// three cannot decide anything.
void Nemesis::hit_etcd(Fault& fault) {
  bool is_one = fault.kind == Kind::kill_etcd || fault.kind == Kind::reboot;
  if (is_one) fault.etcd = {fault.site};
  fault.etcd_signal = SIGKILL;
  if (fault.kind != Kind::register_away) return;
  fault.lasts = some(1.5, 2.5);
  bool spares_one = random_.chance(0.5);
  for (std::size_t site = 0; site < temper_.sites; ++site)
    if (!spares_one || site != fault.site) fault.etcd.push_back(site);
  if (random_.chance(0.5)) fault.etcd_signal = SIGSTOP;
}

}  // namespace conch::chaos
