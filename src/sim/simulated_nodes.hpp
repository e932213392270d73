// The algorithm values of all nodes behind one interface, so that the worlds of this folder are
// compiled once and not once per algorithm.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/contract.hpp"
#include "core/input.hpp"
#include "oracle/oracles.hpp"
#include "sim/slots.hpp"

namespace conch::sim {

/// All worlds here use the same oracles. A Node is 0 .. N-1, which is also the value of its NodeId.
using namespace oracle;

inline NodeId id_of(Node node) { return NodeId{node}; }
inline Node node_of(NodeId id) { return static_cast<Node>(id.value); }

/// A message that is to be sent, as the world sees it. The receiver frees the slot.
struct Posted {
  Node from;
  Node to;
  Slot slot;
  /// The index of its type among the algorithm's messages.
  std::uint8_t kind;
  bool token;
  std::uint32_t bytes;
  std::uint64_t hash;
};

/// The world's side of the nodes: called while a call below runs.
class EffectSink {
 public:
  virtual void post(const Posted& message) = 0;
  virtual void entered(Node node, const Entered& entered) = 0;
  virtual void withdrawn(Node node) = 0;
  virtual void lost(Node) { CONCH_EXPECT(false, "this world has no algorithm with leases"); }
  virtual void joined(Node node) = 0;
  virtual void left(Node node) = 0;
  virtual void armed(Node node, const Armed& armed) = 0;
  virtual void disarmed(Node node, TimerId timer) = 0;

 protected:
  ~EffectSink() = default;
};

class SimulatedNodes {
 public:
  virtual ~SimulatedNodes() = default;

  virtual const CatalogEntry& entry() const = 0;
  /// The names of the algorithm's messages, by kind.
  virtual std::span<const std::string> kinds() const = 0;

  // Calls of one node. A call for which the algorithm has no capability is not allowed.
  virtual void create(Node node, const Assignment& start) = 0;
  virtual void destroy(Node node) = 0;
  virtual void tell(Node node, const Input& input) = 0;
  virtual void receive(Node node, Node from, Slot slot) = 0;
  virtual Stamp stamp(Node node) = 0;
  virtual void observe(Node node, Stamp stamp) = 0;
  // Only protocols over an overlay look at the time.
  virtual void tell_time(Node node, Fence now) = 0;

  // What can be seen of an elector.
  virtual std::optional<NodeId> elected(Node node) const = 0;
  virtual bool participant(Node node) const = 0;
  virtual bool retired(Node node) const = 0;

  /// Frees a slot.
  virtual void discard(Slot slot) = 0;

  // What can be seen of a node or a message.
  virtual bool holds_token(Node node) const = 0;
  virtual std::size_t remembered(Node node) const = 0;
  virtual std::string state(Node node) const = 0;
  /// The state without the node itself and the roster, to be looked at after every event; empty if
  /// there is no such node at the moment.
  virtual std::string brief_state(Node node) const = 0;
  virtual std::string print(Slot slot) const = 0;
  virtual bool may_be_late(Slot slot) const = 0;
  /// What is wrong with the structure of these members, in the order of their numbers, while
  /// nothing is in flight; empty if nothing is, or if the algorithm has no structure.
  virtual std::string disorder(const std::vector<Node>& members) const = 0;
  /// The size of one node's value, without what its containers allocate.
  virtual std::size_t bytes_per_node() const = 0;

  /// How many tokens the nodes have together; zero for an algorithm without tokens.
  int tokens() const { return tokens_; }

 protected:
  int tokens_ = 0;
};

/// The overlay under a protocol: a FingerRing, which stays as it is, or Pastry.
enum class Underlay : std::uint8_t { fixed, pastry };

/// The nodes 0 .. nodes-1 of an algorithm, not created yet. The entry must outlive them.
std::unique_ptr<SimulatedNodes> make_simulated_nodes(const CatalogEntry& entry, Node nodes,
                                                     EffectSink& host,
                                                     Underlay underlay = Underlay::fixed);

}  // namespace conch::sim
