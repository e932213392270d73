// The faults a run may suffer, by name, as the command line and the tests write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "sim/distribution.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// A node, by its number or by what it does when its fault is due; the fault waits until a node
/// does that. Only `home` means the home.
struct Who {
  enum class Role : std::uint8_t {
    number,
    holder,       // is inside
    waiter,       // has asked
    idle,         // neither
    home,         // serves, or made the token, and is idle itself
    voter,        // idle, and in some waiter's voting set
    coordinator,  // of an election
  };
  Role role = Role::number;
  Node node = 0;

  static Who parse(std::string_view text);
  std::string print() const;
};

/// The node loses its state and sends nothing more. It comes back after `length`, if given, without
/// memory.
struct Crash {
  Who who;
  Duration at{};
  std::optional<Duration> length;
};
/// The node neither receives nor acts for a while; then everything that came meanwhile happens at
/// once.
struct Pause {
  Who who;
  Duration at{};
  Duration length{};
};
/// Messages between these nodes and the others are lost; if one-way, only what these nodes send.
struct Partition {
  std::vector<Node> nodes;
  bool one_way = false;
  Duration at{};
  Duration length{};
};
/// All nodes are told that this node has crashed, although it has not.
struct FalseSuspicion {
  Who who;
  Duration at{};
};

using ScheduledFault = std::variant<Crash, Pause, Partition, FalseSuspicion>;

/// A delay spike: with this chance, a message takes `delay` longer.
struct Clog {
  double chance = 0;
  Duration delay{};
};

struct Faults {
  double lose = 0;
  double duplicate = 0;
  Clog clog;
  /// Every node's clock runs up to this share too fast or too slow.
  double drift = 0;
  /// Lose exactly the n-th message that is sent, counted from 1.
  std::optional<std::uint64_t> drop;
  std::vector<ScheduledFault> scheduled;
  /// How long after a crash the others are told; they are not told if not given.
  std::optional<Duration> detect_after;
  /// Until then nodes pause and the network parts at random. Then all faults of the network end,
  /// and progress is demanded.
  std::optional<Duration> storm;

  bool network_is_faulty() const;
};

// WHO@TIME[+LENGTH], WHO@TIME+LENGTH, NODE[,NODE...]@TIME+LENGTH, WHO@TIME, SHARE:DELAY.
Crash parse_crash(std::string_view text);
Pause parse_pause(std::string_view text);
Partition parse_partition(std::string_view text, bool one_way);
FalseSuspicion parse_suspicion(std::string_view text);
Clog parse_clog(std::string_view text);

}  // namespace conch::sim
