// Livelock: a cycle in which messages flow for ever and nobody enters though somebody waits.
#pragma once

#include <optional>
#include <string>

#include "check/check.hpp"
#include "check/walker.hpp"

namespace conch::check {

struct Livelock {
  /// A state of the cycle, and steps that lead from it back to it.
  Fingerprint state;
  std::vector<Step> cycle;
  /// A way to it, hardly the shortest.
  std::vector<Step> way;
  std::string what;
};

struct LivenessReport {
  std::optional<Livelock> livelock;
  /// Cycles that exist only if a message is never delivered; a fair network does not allow them.
  std::uint64_t unfair_cycles = 0;
  /// Why they were not looked for to the end, if they were not.
  std::string incomplete;
};

/// Goes through all states once more, depth first, and looks for cycles (Tarjan 1972). Wishes are
/// bounded, so a cycle consists of deliveries and timers; it is a livelock if somebody waits in it
/// and, under weak fairness, nothing that is in flight all the way round stays undelivered.
LivenessReport find_livelock(Model& model, const Options& options);

}  // namespace conch::check
