// One algorithm as the checker sees it: numbered local states, numbered messages, and the outcome
// of one input at one node. Each outcome is computed once and then looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "check/memory.hpp"
#include "core/contract.hpp"

namespace conch::check {

using Node = std::uint32_t;
inline constexpr Node nodes_max = 15;

/// What the process at a node is doing.
enum class Phase : std::uint8_t {
  idle,
  waiting,
  cancelling,
  inside,
  leaving,
  joining,
  gone,
  crashed
};
std::string_view word(Phase phase);

/// A node's whole local state: the algorithm's value, its process's phase and its remaining
/// requests. The number encodes the phase and whether the node holds a token, so these need no
/// lookup.
struct LocalId {
  std::uint32_t number = 0;

  static LocalId make(std::uint32_t index, bool token, Phase phase) {
    return {index << 4 | std::uint32_t{token} << 3 | static_cast<std::uint32_t>(phase)};
  }
  std::uint32_t index() const { return number >> 4; }
  bool token() const { return (number >> 3 & 1) != 0; }
  Phase phase() const { return static_cast<Phase>(number & 7); }
  friend auto operator<=>(const LocalId&, const LocalId&) = default;
};

/// A message's content; the lowest bit says whether it carries the token.
struct MessageId {
  std::uint32_t number = 0;
  static constexpr std::uint32_t limit = 1 << 24;

  static MessageId make(std::uint32_t index, bool token) {
    return {index << 1 | std::uint32_t{token}};
  }
  std::uint32_t index() const { return number >> 1; }
  bool token() const { return (number & 1) != 0; }
  friend bool operator==(const MessageId&, const MessageId&) = default;
};

enum class InputKind : std::uint8_t {
  start,
  request,
  release,
  cancel,
  deliver,
  timer,
  suspect,
  leave,
  join,
  roster,
  crash,
  elect,  // argument: 1 if it uses up a request, 0 if the node noticed a crash
  retire,
  restart,
  tick
};

/// One input to a node, packed into numbers so that its outcome can be looked up.
struct PackedInput {
  InputKind kind = InputKind::start;
  /// The sender of the message, the suspected node, or the contact of a join.
  Node other = 0;
  /// The message, the timer, or the members as a set of bits.
  std::uint32_t argument = 0;

  std::uint32_t key() const {
    return static_cast<std::uint32_t>(kind) << 28 | other << 24 | argument;
  }
};

struct Sent {
  Node to;
  MessageId message;
  friend bool operator==(const Sent&, const Sent&) = default;
};

/// What the holder got on entry. Systems this small have fences and versions that fit into 32 bits;
/// see `rank`.
struct Entry {
  std::uint32_t fence;
  std::uint32_t version;
};
std::uint32_t rank(Fence fence);
inline Fence fence_of(std::uint32_t rank) { return Fence(Epoch{rank >> 16}, rank & 0xffff); }

/// What one input did. There are many outcomes and each is read often, so each fits into one cache
/// line.
struct alignas(64) InputOutcome {
  LocalId next;
  bool withdrew = false;
  bool joined = false;
  bool left = false;
  /// Deliveries only: whenever the message arrives, it leaves the node unchanged and causes the
  /// same sends.
  bool passes_by = false;
  // Protocols over an overlay only: the node intercepted a message on its route, sent the token, or
  // yielded votes.
  bool stopped = false;
  bool handed_on = false;
  bool yielded = false;
  bool has_entered = false;
  bool has_released = false;
  Entry entered = {};
  /// The version of the data after a release.
  std::uint32_t released = 0;
  std::vector<Sent> sent;
  /// Says which invariant of the algorithm is broken; null if none is.
  std::unique_ptr<const std::string> broken;
};
static_assert(sizeof(InputOutcome) == 64);

struct Setting {
  std::string algorithm;
  Node nodes = 3;
  /// How many nodes, counted from the last, start outside the group.
  Node newcomers = 0;
  std::uint32_t requests = 1;
  /// How many nodes, counted from the first, make requests; the others only take part.
  Node requesters = nodes_max;
  /// How many nodes, counted from the first, only read.
  Node readers = 0;
  Tuning tuning;
  /// A node without requests left drops what it remembers only for requests of its own.
  bool forget = false;
  /// Elections only: the order of the ring.
  std::vector<NodeId> ring = {};
  /// The sizes of the clusters, in order; empty if all nodes are in one.
  std::vector<Node> clusters = {};
  /// How many of the clusters each site has, in order; empty if there are no sites.
  std::vector<Node> sites = {};

  bool reads(Node node) const { return node < readers; }
  std::uint32_t requests_of(Node node) const { return node < requesters ? requests : 0; }
};

/// An elector's observable state.
struct Ballot {
  std::optional<Node> elected;
  bool participant = false;
  bool retired = false;
};

/// Elections have a clock. Each timer takes four bits: 0 if it is not armed, else one more than the
/// ticks until it is due.
inline constexpr int timer_bits = 4;
inline std::uint32_t ticks_of(std::uint32_t armed, std::uint32_t timer) {
  return armed >> (timer_bits * timer) & ((1U << timer_bits) - 1);
}

/// Numbers local states and messages, and computes outcomes. Safe to use from several threads.
class Model {
 public:
  explicit Model(std::size_t bytes_max) : memory_(bytes_max) {}
  virtual ~Model() = default;

  /// The memory bound of the search that uses this model.
  MemoryBudget& memory() { return memory_; }
  virtual const CatalogEntry& entry() const = 0;
  /// Protocols over an overlay only: whether nodes on a message's route examine it.
  virtual bool intercepts() const = 0;
  virtual LocalId initial(Node node) = 0;
  virtual std::uint32_t requests_left(LocalId local) = 0;
  /// The armed timers as a set of bits; for elections, with their ticks (see `ticks_of`).
  virtual std::uint32_t armed(LocalId local) = 0;
  /// Elections only.
  virtual Ballot ballot(LocalId local) = 0;
  /// The outcome stays valid as long as the model lives.
  virtual const InputOutcome& apply(Node node, LocalId local, const PackedInput& input) = 0;
  /// How many items the algorithm's value remembers.
  virtual std::size_t remembered(LocalId local) = 0;
  /// How many items the nodes of a group of these members (a set of bits) remember at its start.
  virtual std::size_t remembered_at_start(std::uint32_t members) = 0;

  /// Says what is wrong with the structure of these members, given in the order of their numbers;
  /// empty if nothing is.
  virtual std::string disorder(std::span<const LocalId> members) = 0;
  virtual bool may_be_late(MessageId message) = 0;
  virtual std::string print(MessageId message) = 0;
  /// The fields that differ, as `owner 0 -> 3`.
  virtual std::string difference(LocalId before, LocalId after) = 0;

 private:
  MemoryBudget memory_;
};

/// The entry must outlive the model.
std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting,
                                  std::size_t bytes_max);

}  // namespace conch::check
