// The playground: a scenario that a user builds by clicking. It tells a page what is possible now,
// what happens next by itself, and what has happened (as a film). The page runs it as WebAssembly
// (wasm/exports.cpp).
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

  /// Starts over with an empty scenario.
  void begin();

  /// Runs one command of a scenario, and returns what it prints. Comments print nothing, but two of
  /// them have an effect: after `# hold 1 -> 0 REQUEST` such messages do not arrive by themselves,
  /// until `# let go 1 -> 0 REQUEST`.
  std::string run(std::string_view line);

  struct Chance {
    std::uint64_t seed = 0;
    /// Processes also request and release by themselves.
    bool lively = false;
  };
  /// Draws the next command: a message arrives; if none can, a timer fires. Messages on a channel
  /// keep their order if the algorithm needs that. Empty if nothing can happen. Deterministic: the
  /// same lines and seed yield the same command.
  std::string draw(const Chance& chance) const;

  /// The current state as JSON; "null" before there are nodes.
  std::string sight() const;
  /// What has happened, in the format of src/film; empty before there are nodes.
  std::string film() const;
  /// The number of events in the film.
  std::size_t events() const;

 private:
  void hold(std::string_view what, bool held);
  bool held(const sim::Sight::Message& message) const;
  std::vector<std::string> deliveries(const sim::Sight& sight) const;

  std::unique_ptr<sim::Scenario> scenario_;
  std::uint64_t lines_ = 0;
  /// Held messages, as in `1 -> 0 REQUEST`.
  std::set<std::string, std::less<>> held_;
};

/// The algorithms that a scenario can run, as JSON.
std::string catalog();

}  // namespace conch::playground
