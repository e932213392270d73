// Draws the faults of a chaos run from its seed, one after the other.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "core/types.hpp"
#include "rig/emulated_line.hpp"

namespace conch::chaos {

enum class Kind : std::uint8_t {
  kill,           // a peer, by SIGKILL; its seat gets another life
  stop,           // a peer, by SIGSTOP and later SIGCONT
  leave,          // a peer leaves, and comes back as a new life
  part,           // a site: no packet gets in or out
  part_one_way,   // a site: no packet gets out
  register_away,  // the site that has it is parted; or most of etcd is stopped or killed
  bad_lines,      // packets are lost, duplicated, delayed and reordered
  narrow_lines,   // packets queue
  set_clock,      // the wall clock of a site
  reboot,         // a site: all its peers are killed and come back with the clocks of another boot
  kill_etcd,      // a member of etcd, by SIGKILL; it comes back with what it has stored
};
inline constexpr std::size_t kinds = static_cast<std::size_t>(Kind::kill_etcd) + 1;
std::string_view word(Kind kind);

struct Fault {
  Kind kind = Kind::kill;
  /// How long nothing is wrong before the fault, and how long the fault lasts.
  Duration after{};
  Duration lasts{};
  std::size_t seat = 0;
  /// Hits a current holder of a lock instead, if there is one.
  bool aims = false;
  std::size_t site = 0;
  /// The quality of all lines while the fault lasts: faults seldom come alone.
  rig::Quality quality = {};
  /// By how much a wall clock is wrong.
  std::chrono::seconds clock{};
  /// The members of etcd that are hit, by site, and the signal that hits them.
  std::vector<std::size_t> etcd = {};
  int etcd_signal = 0;
};

struct Temper {
  std::set<Kind> kinds;
  std::size_t sites = 0;
  std::size_t seats = 0;
  Duration lease{};
  /// The mean time without a fault before the next one.
  Duration pause{};
  /// Every fault that can aim at a holder does.
  bool hunts = false;
  /// Nothing else is wrong during a fault.
  bool is_precise = false;
  /// The register is an etcd cluster with a member at every site.
  bool has_etcd = false;
};

/// The quality of the lines between faults.
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
  /// The faults of this round that are still to come; each comes once in a round.
  std::vector<Kind> to_come_;
};

}  // namespace conch::chaos
