// What an election is to a world, and how long its timeouts must be.
//
// E1, safety: whoever takes part has elected nobody yet, or the process that has the largest
// identifier of those that have not crashed at the end of the run. E2, liveness: everybody takes
// part, and in the end has elected somebody or has crashed. [Coulouris 2011, section 15.3]
//
// A process that has retired is no candidate any more, but elects like everybody else.
#pragma once

#include <optional>

#include "core/contract.hpp"

namespace conch {

/// Chooses one process, the coordinator. The world calls `elect` when the process is to begin an
/// election, for instance because it noticed that its coordinator has crashed; one that takes part
/// in one already goes on with that. It calls `retire` when the coordinator wishes to be replaced.
template <class A>
concept Elector = Algorithm<A> && requires(A a, const A seen, OutboxOf<A>& out) {
  a.elect(out);
  a.retire(out);
  { seen.elected() } -> std::same_as<std::optional<NodeId>>;
  { seen.participant() } -> std::same_as<bool>;
  { seen.retired() } -> std::same_as<bool>;
};

/// Survives crashes: a value that takes the place of a crashed process is told so, first.
template <class A>
concept Restarting = Elector<A> && requires(A a, OutboxOf<A>& out) {
  a.restart(out);
};

/// T and T' of the bully algorithm.
struct Timeouts {
  /// T: an answer that has not come by then does not come.
  Duration answer;
  /// T': the same of the coordinator's announcement, from the first answer on.
  Duration announcement;
  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

/// The shortest timeouts that are true where a message, from the decision to send it to the end of
/// its handling, takes at most so long.
///
/// An election message and its answer are two messages: T > 2D. Whoever answers has begun an
/// election one message after ours at the latest; so has the highest process that is up, because
/// ours went to it, too. It waits T for answers of those above it and announces itself with one
/// message more: T' > D + T + D, even from the moment we began.
constexpr Timeouts timeouts_for(Duration message_max) {
  constexpr Duration margin = std::chrono::microseconds(1);
  Duration answer = 2 * message_max + margin;
  return {answer, answer + 2 * message_max + margin};
}

}  // namespace conch
