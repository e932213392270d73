// One algorithm as the checker sees it: numbered local states, numbered messages, and what one
// input does to one node. Whatever was computed once is looked up from then on.
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

/// A node's whole local state: the algorithm's value, its process's phase and what it may still ask
/// for. The number says whether there is a token and what the phase is without a look.
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
  elect,  // the argument says whether it noticed a crash, or began by itself
  retire,
  restart,
  tick
};

/// What happens to a node; with what it is about in one number, so that it can be looked up.
struct Input {
  InputKind kind = InputKind::start;
  /// Who sent the message, is suspected, or is the contact.
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

struct Entry {
  std::uint64_t fence;
  std::uint64_t version;
};

/// What one input did.
struct Outcome {
  LocalId next;
  std::vector<Sent> sent;
  std::optional<Entry> entered;
  /// The version of the data that a release left.
  std::optional<std::uint64_t> released;
  bool withdrew = false;
  bool joined = false;
  bool left = false;
  /// Of a delivery: whenever the message comes, it changes nothing, and the same is sent on.
  bool passes_by = false;
  // Of a protocol over an overlay: it stopped a message on its way, sent the token, gave votes
  // back.
  bool stopped = false;
  bool handed_on = false;
  bool yielded = false;
  /// Not empty: an invariant of the algorithm is broken.
  std::string broken;
};

struct Setting {
  std::string algorithm;
  Node nodes = 3;
  /// The last of them start outside the group.
  Node newcomers = 0;
  std::uint32_t requests = 1;
  /// Of these, the first ones; the others only take part.
  Node requesters = nodes_max;
  /// The first of them only read.
  Node readers = 0;
  Tuning tuning;
  /// What a node remembers for requests that it will never make is forgotten.
  bool forget = false;
  /// Of an election: the order of the ring.
  std::vector<NodeId> ring = {};
  /// The sizes of the clusters, in order; empty if all are in one.
  std::vector<Node> clusters = {};
  /// How many of the clusters each site has, in order; empty if there are no sites.
  std::vector<Node> sites = {};

  bool reads(Node node) const { return node < readers; }
  std::uint32_t requests_of(Node node) const { return node < requesters ? requests : 0; }
};

/// What can be seen of an elector.
struct Ballot {
  std::optional<Node> elected;
  bool participant = false;
  bool retired = false;
};

/// The timers of a world with a clock: four bits each, one more than the ticks until it is due.
inline constexpr int timer_bits = 4;
inline std::uint32_t ticks_of(std::uint32_t armed, std::uint32_t timer) {
  return armed >> (timer_bits * timer) & ((1U << timer_bits) - 1);
}

/// Safe to use from several threads.
class Model {
 public:
  explicit Model(std::size_t bytes_max) : memory_(bytes_max) {}
  virtual ~Model() = default;

  /// The memory that the search using this model may take.
  Memory& memory() { return memory_; }
  virtual const CatalogEntry& entry() const = 0;
  /// Of a protocol over an overlay: those on the way of a message take notice of it.
  virtual bool intercepts() const = 0;
  virtual LocalId initial(Node node) = 0;
  virtual bool may_request(LocalId local) = 0;
  /// Timers that are armed, as a set of bits; of an election, with the ticks that they have left.
  virtual std::uint32_t armed(LocalId local) = 0;
  /// Of an election.
  virtual Ballot ballot(LocalId local) = 0;
  /// The outcome stays valid as long as the model.
  virtual const Outcome& apply(Node node, LocalId local, const Input& input) = 0;
  /// How many things the algorithm's value remembers.
  virtual std::size_t remembered(LocalId local) = 0;
  /// How many those of a group of these members, as a set of bits, remember when it starts.
  virtual std::size_t remembered_at_start(std::uint32_t members) = 0;

  /// What is wrong with the structure of these members, in the order of their numbers.
  virtual std::string disorder(std::span<const LocalId> members) = 0;
  virtual bool may_be_late(MessageId message) = 0;
  virtual std::string print(MessageId message) = 0;
  /// The fields that differ, as `owner 0 -> 3`.
  virtual std::string difference(LocalId before, LocalId after) = 0;

 private:
  Memory memory_;
};

/// The entry must outlive the model.
std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting,
                                  std::size_t bytes_max);

}  // namespace conch::check
