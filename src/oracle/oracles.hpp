// The oracles: each watches one property from outside, with a view of all nodes at once. An oracle
// is told every event, and returns a sentence when its property is broken. The simulator, the
// checker and the audit of traces use them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/extent.hpp"
#include "core/outbox.hpp"
#include "core/types.hpp"

namespace conch::oracle {

/// A process that an oracle watches, by number: 0 .. N-1.
using Node = std::uint32_t;

enum class Property : std::uint8_t {
  mutual_exclusion,   // ME1: at most one process is inside, or several that do not conflict
  progress,           // ME2: every request is granted
  order,              // ME3: requests are granted in happened-before order
  one_token,          // there is exactly one token, where the algorithm has one
  fences,             // strictly increasing; a reader's is that of the last writer before it
  data,               // a holder gets what the last writer before it released, range by range
  addressee,          // no message is sent to, or reaches, a node that has left
  invariant,          // an algorithm does not find itself in an impossible state
  memory,             // at rest nothing is remembered that was not at the start
  structure,          // tree, list, weights and height, where the algorithm has them
  right_coordinator,  // E1: the elected coordinator is the one that should be
  visits,             // if others wait, the lock leaves a cluster after a bounded number of entries
  all_elect,          // E2: in the end every process elects one
};
std::string_view word(Property property);
/// Whether the property is about safety: breaking it means an error such as two holders or lost
/// data. If it is not, breaking it means that a process waits too long, or for ever.
bool is_safety(Property property);

struct Violation {
  Property property;
  std::string what;
  /// The nodes that are involved, as far as they are known.
  std::vector<Node> nodes = {};
};

/// The answer of an oracle: empty, or a sentence that says how its property was broken.
using Finding = std::optional<std::string>;

struct Holder {
  Fence fence;
  Wish wish;
};

/// The processes that are inside, ordered by number. There is rarely more than one.
class Inside {
 public:
  Inside() = default;
  Inside(std::initializer_list<std::pair<Node, Holder>> holders) : holders_(holders) {}

  auto begin() const { return holders_.begin(); }
  auto end() const { return holders_.end(); }
  std::size_t size() const { return holders_.size(); }
  bool empty() const { return holders_.empty(); }
  void insert(Node node, const Holder& holder);
  void erase(Node node);

 private:
  std::vector<std::pair<Node, Holder>> holders_;
};

/// ME1: processes may be inside together only if any two of them both read, or have disjoint
/// ranges. A crashed process is not inside.
class ExclusionOracle {
 public:
  Finding enter(Node node, Fence fence, const Wish& wish = {});
  void leave(Node node) { inside_.erase(node); }
  const Inside& inside() const { return inside_; }

 private:
  Inside inside_;
};

/// Fences increase. A writer's fence is greater than every fence handed out before for any part of
/// its range. A reader's fence is the greatest one of the writers that entered before it for any
/// part of its range, or the fence from which the lock started. After a crash it may be greater: a
/// writer may have been let in and have crashed before it learned of it.
class FenceOracle {
 public:
  explicit FenceOracle(Fence start = {}) : handed_out_(start), writers_(start) {}
  Finding enter(Node node, Fence fence, const Wish& wish = {});
  void crashed() { has_crashed_ = true; }

 private:
  Finding enter_to_read(Node node, Fence fence, const Range& range) const;

  /// The greatest fences, by range: of all entries, and of writers.
  Extent<Fence> handed_out_;
  Extent<Fence> writers_;
  bool has_crashed_ = false;
};

/// Every writer's release makes a new version of its range, and the next entry must see it. The
/// version may be lost only if all nodes that have seen it have crashed.
class DataOracle {
 public:
  explicit DataOracle(Node nodes) : found_(nodes) {}
  Finding enter(Node node, const Entered& entered, const Wish& wish = {});
  /// Returns what the holder leaves behind.
  DataRef release(Node node, const Wish& wish = {});
  /// A node crashed. For algorithms that keep data only where they were written or found.
  void crashed(Node node);
  /// Forgets what the dead knew. From now on the newest version counts that any other node has
  /// found or left; returns it.
  DataRef recover(const std::vector<Node>& dead);

 private:
  Finding compare(Node node, const Range& range, std::uint64_t version) const;
  Finding compare_parts(Node node, const Range& range, const Entered& entered) const;

  Extent<std::uint64_t> written_;
  /// What each node found or left last. Its version is the greatest of the versions of its parts.
  std::vector<DataRef> found_;
  bool may_be_lost_ = false;
};

/// Counts the tokens at nodes and in messages.
class TokenOracle {
 public:
  void created(int tokens) { tokens_ += tokens; }
  /// A call of a node changed the number of tokens by this much, counting those in the messages it
  /// read and sent.
  Finding after_call(Node node, int difference);
  void lost() { --tokens_; }
  int tokens() const { return tokens_; }

 private:
  int tokens_ = 0;
};

/// No message may be sent to a node that has left, and none may reach it. The caller exempts
/// messages that may come late. Messages to a crashed node are allowed: nobody knows of the crash
/// yet.
class AddresseeOracle {
 public:
  explicit AddresseeOracle(Node nodes) : gone_(nodes) {}
  void came(Node node) { gone_[node] = false; }
  void left(Node node) { gone_[node] = true; }
  bool is_gone(Node node) const { return gone_[node]; }
  Finding send(Node from, Node to, const std::string& message) const;
  Finding arrive(Node from, Node to, const std::string& message) const;

 private:
  std::vector<bool> gone_;
};

/// Turns an algorithm's own complaint into a finding; an empty complaint means that nothing is
/// wrong.
inline Finding finding_of(std::string words) {
  return words.empty() ? Finding() : Finding(std::move(words));
}

/// At rest, the nodes together may remember no more than the nodes of a group that has just
/// started.
Finding memory_at_rest(std::size_t remembered, std::size_t allowed);

/// The happened-before relation by vector clocks, over algorithm and application messages.
class Causality {
 public:
  using Clock = std::vector<std::uint32_t>;

  explicit Causality(Node nodes);
  void step(Node node) { ++clocks_[node][node]; }
  void merge(Node node, const Clock& other);
  const Clock& at(Node node) const { return clocks_[node]; }

 private:
  std::vector<Clock> clocks_;
};

/// ME3: no process enters while a request waits that happened before its own.
class OrderOracle {
 public:
  explicit OrderOracle(Node nodes) : requests_(nodes) {}
  void request(Node node, const Causality& causality) { requests_[node] = causality.at(node); }
  /// The request was withdrawn, or its process crashed.
  void forget(Node node) { requests_[node].reset(); }
  Finding enter(Node node);

 private:
  std::vector<std::optional<Causality::Clock>> requests_;
};

}  // namespace conch::oracle
