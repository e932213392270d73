// What an election is to a world, and how long its timeouts must be.
//
// E1, safety: a participant has elected no process yet, or the one with the largest identifier of
// those that have not crashed at the end of the run. E2, liveness: every process takes part, and in
// the end has elected one or has crashed. [Coulouris 2011, section 15.3]
//
// A process that has retired is no candidate any more, but elects like all others.
#pragma once

#include <optional>

#include "core/contract.hpp"

namespace conch {

/// Chooses one process, the coordinator. The world calls `elect` when the process is to begin an
/// election, for instance because it noticed that its coordinator has crashed; a process that takes
/// part in one already goes on with it. The world calls `retire` when the coordinator wishes to be
/// replaced.
template <class A>
concept Elector = Algorithm<A> && requires(A a, const A seen, OutboxOf<A>& out) {
  a.elect(out);
  a.retire(out);
  { seen.elected() } -> std::same_as<std::optional<NodeId>>;
  { seen.participant() } -> std::same_as<bool>;
  { seen.retired() } -> std::same_as<bool>;
};

/// Survives crashes: the world calls `restart`, first, on a value that replaces a crashed process.
template <class A>
concept Restarting = Elector<A> && requires(A a, OutboxOf<A>& out) {
  a.restart(out);
};

/// T and T' of the bully algorithm.
struct Timeouts {
  /// T: an answer that has not come by then does not come.
  Duration answer;
  /// T': the same for the coordinator's announcement, counted from the first answer.
  Duration announcement;
  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

/// The shortest timeouts that are right if a message takes at most this long, from the decision to
/// send it to the end of its handling.
///
/// An election message and its answer are two messages: T > 2D. A process that answers has begun an
/// election one message after ours at the latest. So has the highest process that is up, because
/// ours went to it, too. It waits T for answers from those above it and announces itself with one
/// message more: T' > D + T + D, even from the moment we began.
constexpr Timeouts timeouts_for(Duration message_max) {
  constexpr Duration margin = std::chrono::microseconds(1);
  Duration answer = 2 * message_max + margin;
  return {answer, answer + 2 * message_max + margin};
}

}  // namespace conch
