// All oracles at once, told of each event. They go on watching after something was broken.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "oracle/oracles.hpp"
#include "sim/population.hpp"

namespace conch::sim {

class Jury {
 public:
  struct Watch {
    Node nodes = 0;
    bool token = false;
    /// ME3 by vector clocks: N numbers for each node and each message in flight.
    bool order = false;
    /// The clocks without ME3, for somebody who looks at them.
    bool clocks = false;
  };
  Jury(const Watch& watch, const Population& population);

  // Processes. Only who has requested enters, only who is inside releases.
  void requested(Node node, const Wish& wish);
  void entered(Node node, const Entered& entered);
  /// The data that the holder leaves behind.
  DataRef released(Node node);
  void cancelled(Node node);

  // Messages. The clock of a message is the sender's when it was sent.
  void sent(const Posted& message);
  void received(Node node, Slot slot);
  /// It reached a node that has left.
  void missed(Node node, Node from, Slot slot, bool token);
  void lost(const Posted& message);
  void duplicated(const Posted& message);
  /// Returns the clock that an application message carries.
  Causality::Clock tells(Node node);
  void told(Node node, const Causality::Clock& clock);

  // Around every call into the population, for the tokens: how many the node has at the beginning,
  // in its hands and in the message it is about to read.
  void before_call(Node node, bool reads_token);
  void after_call(Node node);

  // Nodes. Told before the node's value is dropped.
  void crashed(Node node);
  /// A new epoch begins without these; the newest data that the others know.
  DataRef recovers(const std::vector<Node>& dead);
  /// It has begun, with so many tokens on their way.
  void recovered(const Members& members, int in_flight);
  void joins(Node node);
  void gone(Node node);

  /// Something else happened to a node.
  void step(Node node);

  void report(Property property, const Finding& finding, std::vector<Node> nodes = {});
  /// What was broken since this was called last, in the order in which it was seen.
  std::vector<Violation> take_violations() { return std::exchange(violations_, {}); }
  const std::map<Node, Holder>& inside() const { return exclusion_.inside(); }

  /// What a node asked for last.
  const Wish& wish_of(Node node) const;

  const Causality* clocks() const { return causality_ ? &*causality_ : nullptr; }

 private:
  Causality::Clock& clock_of(Slot slot);
  std::vector<Node> in_conflict_with(Node node) const;

  const Population& population_;
  bool watches_token_;
  ExclusionOracle exclusion_;
  FenceOracle fences_;
  DataOracle data_;
  TokenOracle tokens_;
  AddresseeOracle addressees_;
  std::optional<Causality> causality_;
  std::optional<OrderOracle> order_;
  std::vector<Causality::Clock> clock_of_slot_;
  /// Of those who did not ask for everything, to write.
  std::map<Node, Wish> wishes_;
  int tokens_before_ = 0;
  int tokens_sent_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace conch::sim
