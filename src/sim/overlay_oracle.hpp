// Checks what a lock of an overlay group promises, and sees all nodes at once.
//
// ME1 holds except for a holder that was stopped beyond its lease: the first event at it afterwards
// must tell it, and its fence is smaller than that of any node that entered meanwhile.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// What a process of an overlay group does.
enum class Doing : std::uint8_t { idle, waiting, inside };

class OverlayOracle {
 public:
  const std::optional<Violation>& violation() const { return violation_; }

  void enter(Node node, const Baton& baton, Doing doing, const std::function<bool(Node)>& stopped);
  void leave(Node node) { inside_.erase(node); }
  void crash(Node node) { inside_.erase(node); }
  /// A process was told that its lease has run out. Returns whether another had entered meanwhile.
  bool lose(Node node);
  /// A stopped node goes on, and its timers that were due have fired.
  void resumed(Node node);
  /// The data that a holder leaves behind.
  DataRef written() { return {++version_, 1, std::nullopt}; }

  void waits_for_ever(Node node);
  void endless(std::uint64_t messages);
  void broken(const std::string& what) { report(Property::invariant, what); }

 private:
  struct Inside {
    Fence fence;
    bool outlived = false;
  };
  void report(Property property, std::string what, std::vector<Node> nodes = {});

  std::optional<Violation> violation_;
  std::map<Node, Inside> inside_;
  Fence last_;
  std::uint64_t version_ = 0;
};

}  // namespace conch::sim
