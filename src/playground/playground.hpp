// A scenario that somebody writes by clicking, as a page needs it: what is possible now, what
// happens by itself, and the film of what has happened. The page has it as WebAssembly.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario.hpp"
#include "sim/sight.hpp"

namespace conch::playground {

class Playground {
 public:
  Playground();

  /// Forgets everything.
  void begin();

  /// A command of a scenario; returns what it prints. A comment prints nothing, and two of them
  /// mean something here: `# hold 1 -> 0 REQUEST` and `# let go 1 -> 0 REQUEST` say which messages
  /// do not arrive by themselves.
  std::string run(std::string_view line);

  struct Chance {
    std::uint64_t seed = 0;
    /// Processes ask and leave by themselves, too.
    bool lively = false;
  };
  /// The command that comes next by itself: a message arrives, or else a timer fires. Channels keep
  /// the order of messages if the algorithm needs it. Empty if nothing can happen. The same after
  /// the same lines.
  std::string draw(const Chance& chance) const;

  /// What can be seen, as JSON.
  std::string sight() const;
  /// What has happened, as src/film writes it; nothing before there are nodes.
  std::string film() const;
  /// How many events the film has.
  std::size_t events() const;

 private:
  void hold(std::string_view what, bool held);
  bool held(const sim::Sight::Message& message) const;
  std::vector<std::string> deliveries(const sim::Sight& sight) const;

  std::unique_ptr<sim::Scenario> scenario_;
  std::uint64_t lines_ = 0;
  /// `1 -> 0 REQUEST`
  std::set<std::string, std::less<>> held_;
};

/// The algorithms that a scenario can have, as JSON.
std::string catalog();

}  // namespace conch::playground
