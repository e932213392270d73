// All oracles, told of each event. They go on watching after a violation.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "oracle/oracles.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

class Oracles {
 public:
  struct Settings {
    Node nodes = 0;
    bool token = false;
    /// Watches ME3 by vector clocks: N numbers for each node and each message in flight.
    bool order = false;
    /// Keeps the clocks without ME3, for a sink that shows them.
    bool clocks = false;
  };
  Oracles(const Settings& watch, const SimulatedNodes& simulated_nodes);

  // Processes. Only a node that has requested may enter, and only a node inside may release.
  void requested(Node node, const Wish& wish);
  void entered(Node node, const Entered& entered);
  /// The data that the holder leaves behind.
  DataRef released(Node node);
  void cancelled(Node node);

  // Messages. The clock of a message is the sender's when it was sent.
  void sent(const Posted& message) {
    if (addressees_.is_gone(message.to)) sent_to_nobody(message);
    tokens_sent_ += message.token;
    if (!causality_) return;
    causality_->step(message.from);
    clock_of(message.slot) = causality_->at(message.from);
  }
  void received(Node node, Slot slot) {
    if (causality_) causality_->merge(node, clock_of(slot));
    step(node);
  }
  /// A message reached a node that has left.
  void missed(Node node, Node from, Slot slot, bool token);
  void lost(const Posted& message);
  void duplicated(const Posted& message);
  /// Returns the clock that an application message carries.
  Causality::Clock tells(Node node);
  void told(Node node, const Causality::Clock& clock);

  // Around every call into the nodes, to count tokens: `reads_token` means that the message which
  // is about to be read has one.
  void before_call(bool reads_token) {
    tokens_before_ = simulated_nodes_.tokens() + int{reads_token};
    tokens_sent_ = 0;
  }
  void after_call(Node node) {
    int difference = simulated_nodes_.tokens() + tokens_sent_ - tokens_before_;
    if (watches_token_ && difference != 0)
      report(Property::one_token, tokens_.after_call(node, difference), node);
  }

  // Nodes. Told before the node's value is dropped.
  void crashed(Node node);
  /// A new epoch begins without these nodes. Returns the newest data that the others know.
  DataRef recovers(const std::vector<Node>& dead);
  /// The epoch has begun, with so many tokens on their way.
  void recovered(const Members& members, int in_flight);
  void joins(Node node);
  void gone(Node node);

  /// Something else happened to a node.
  void step(Node node) {
    if (causality_) causality_->step(node);
  }

  void report(Property property, const Finding& finding, std::vector<Node> nodes = {});
  void report(Property property, const Finding& finding, Node node);
  /// The violations since the last call, in the order in which they were seen.
  std::vector<Violation> take_violations() { return std::exchange(violations_, {}); }
  bool has_violations() const { return !violations_.empty(); }
  const Inside& inside() const { return exclusion_.inside(); }

  /// What a node asked for last.
  const Wish& wish_of(Node node) const;

  const Causality* clocks() const { return causality_ ? &*causality_ : nullptr; }

 private:
  void sent_to_nobody(const Posted& message);
  Causality::Clock& clock_of(Slot slot);
  std::vector<Node> in_conflict_with(Node node) const;

  const SimulatedNodes& simulated_nodes_;
  bool watches_token_;
  ExclusionOracle exclusion_;
  FenceOracle fences_;
  DataOracle data_;
  TokenOracle tokens_;
  AddresseeOracle addressees_;
  std::optional<Causality> causality_;
  std::optional<OrderOracle> order_;
  std::vector<Causality::Clock> clock_of_slot_;
  /// The last wishes that are not to write everything.
  std::map<Node, Wish> wishes_;
  int tokens_before_ = 0;
  int tokens_sent_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace conch::sim
