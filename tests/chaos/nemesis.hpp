// What goes wrong in a chaos run, one thing after the other, as it follows from the seed.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "core/types.hpp"
#include "rig/line.hpp"

namespace conch::chaos {

enum class Kind : std::uint8_t {
  kill,           // a peer, by SIGKILL; another life takes its seat
  stop,           // a peer, by SIGSTOP, and SIGCONT
  leave,          // a peer leaves, and comes back as a new life
  part,           // a site: nothing comes in, nothing goes out
  part_one_way,   // a site: nothing goes out
  register_away,  // the site that has it is parted; or most of etcd is stopped, or killed
  bad_lines,      // packets are lost, doubled, late and out of order
  narrow_lines,   // packets queue
  set_clock,      // of a site, the wall clock
  reboot,         // a site: all its peers are killed, and what comes back has another boot's clocks
  kill_etcd,      // a member, by SIGKILL; it comes back with what it has stored
};
inline constexpr std::size_t kinds = static_cast<std::size_t>(Kind::kill_etcd) + 1;
std::string_view word(Kind kind);

struct Fault {
  Kind kind = Kind::kill;
  /// How long all was well before it, and how long it lasts.
  Duration after{};
  Duration lasts{};
  std::size_t seat = 0;
  /// Whoever holds a lock just then is hit instead, if there is one.
  bool aims = false;
  std::size_t site = 0;
  /// Of all lines while it lasts: one thing seldom comes alone.
  rig::Quality quality = {};
  /// By how much a wall clock is wrong.
  std::chrono::seconds clock{};
  /// Members of etcd that are hit, by their sites, and by which signal.
  std::vector<std::size_t> etcd = {};
  int etcd_signal = 0;
};

struct Temper {
  std::set<Kind> kinds;
  std::size_t sites = 0;
  std::size_t seats = 0;
  Duration lease{};
  /// How long all is well before a fault, on the average.
  Duration pause{};
  /// Every fault that can aim at a holder does.
  bool hunts = false;
  /// Nothing is wrong besides.
  bool is_precise = false;
  /// The register is an etcd cluster with a member at every site.
  bool has_etcd = false;
};

/// What lines are like when nothing is wrong with them.
rig::Quality good_lines();

class Nemesis {
 public:
  Nemesis(std::uint64_t seed, const Temper& temper) : random_(seed), temper_(temper) {}

  Fault next();

 private:
  void hit_etcd(Fault& fault);
  Duration some(double least, double most);

  Random random_;
  Temper temper_;
  /// Those of this round that have not come yet: each comes once in a round.
  std::vector<Kind> to_come_;
};

}  // namespace conch::chaos
