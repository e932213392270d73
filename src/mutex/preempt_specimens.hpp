// Preempt without one of the rules that [Bertier 2004] leaves open.
#pragma once

#include "mutex/preempt.hpp"

namespace conch {

/// Forgets the node to ask for the tail of a queue that was overtaken.
class PreemptTail : public Preempt {
 public:
  static constexpr About about =
      broken(Preempt::about, "preempt@tail", "[Bertier 2004, section 3.2]", "invariants",
             {.requests = 2, .clusters = {2, 1}, .eps = 1});

  using Preempt::Preempt;
  using Preempt::receive;
  void receive(NodeId from, const Queue& m, Out& out);
};

/// Forgets a remote next that came before the queue.
class PreemptRemoteNext : public Preempt {
 public:
  static constexpr About about =
      broken(Preempt::about, "preempt@remote-next", "[Bertier 2004, section 3.2]", "ME2",
             {.clusters = {2, 1, 1}, .eps = 1});

  using Preempt::Preempt;
  using Preempt::receive;
  void receive(NodeId from, const Queue& m, Out& out);
};

}  // namespace conch
