// Sigma: a majority of replicas votes, and keeps the queue.
//
// Source: [Lin 2004], the baseline of [Muhammad 2005].
//
// Assumes what voting.hpp assumes. No node on a path intercepts messages: requests are routed, and
// the rest goes straight to the nodes that have answered.
//
// A waiter that has some votes asks the other replicas again after a while, because their owners
// may have changed. A waiter also asks again once its turn should have come: by its place in the
// queue (the informed back-off), every round, or never.
#pragma once

#include "overlay/voting.hpp"

namespace conch::overlay {

class Sigma : public Voting {
 public:
  static constexpr About about{
      .name = "sigma",
      .family = "voting",
      .source = "[Lin 2004]",
      .messages = "n O(log N) + 5n",
      .client_delay = "O(log N) + 3",
      .sync_delay = "4",
  };

  /// Whether nodes on the path of a message may intercept it.
  static constexpr bool intercepts = false;

  Sigma(NodeId self, const Assignment& start) : Voting(self, start, Habit::asks_again) {}

  Passage forward(Key, Message&, NodeId, Out&) { return Passage::go_on; }
};

static_assert(RoutedProtocol<Sigma>);

}  // namespace conch::overlay
