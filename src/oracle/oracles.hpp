// What must never happen, watched from outside by somebody who sees all nodes at once. Each oracle
// is told what happens and answers with a sentence when its property is broken.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/extent.hpp"
#include "core/outbox.hpp"
#include "core/types.hpp"

namespace conch::oracle {

/// A process that an oracle watches, by number: 0 .. N-1.
using Node = std::uint32_t;

enum class Property : std::uint8_t {
  mutual_exclusion,   // ME1: at most one process is inside, or those that do not conflict
  progress,           // ME2: every request is granted
  order,              // ME3: in happened-before order
  one_token,          // where the algorithm has one
  fences,             // strictly increasing; a reader's is that of the last writer before it
  data,               // a holder gets what the last writer before it released, range by range
  addressee,          // no message to nobody, sent or arriving
  invariant,          // an algorithm found itself in a state that cannot be
  memory,             // at quiescence nothing is remembered that was not at the start
  structure,          // tree, list, weights and height, where the algorithm has them
  right_coordinator,  // E1: who is elected is the one that should be
  visits,             // the lock leaves a cluster while others wait, after so many entries
  all_elect,          // E2: everybody elects somebody in the end
};
std::string_view word(Property property);
/// A broken one means two holders or lost data; otherwise somebody waits for ever.
bool is_safety(Property property);

struct Violation {
  Property property;
  std::string what;
  /// Those that it happened to, as far as they are known.
  std::vector<Node> nodes = {};
};

/// What an oracle says: nothing, or how its property was broken.
using Finding = std::optional<std::string>;

struct Holder {
  Fence fence;
  Wish wish;
};

/// ME1: readers may be inside together, and those whose ranges are apart; nobody else. A crashed
/// process is not inside.
class ExclusionOracle {
 public:
  Finding enter(Node node, Fence fence, const Wish& wish = {});
  void leave(Node node) { inside_.erase(node); }
  const std::map<Node, Holder>& inside() const { return inside_; }

 private:
  std::map<Node, Holder> inside_;
};

/// A writer's fence is larger than every one that was handed out before for something of its range.
/// A reader's is the largest of the writers that were inside before it with something of its range,
/// or the one that the lock started from. Once somebody has crashed it may be larger: the fence of
/// a writer that was let in and crashed before it heard of it.
class FenceOracle {
 public:
  explicit FenceOracle(Fence start = {}) : handed_out_(start), writers_(start) {}
  Finding enter(Node node, Fence fence, const Wish& wish = {});
  void crashed() { has_crashed_ = true; }

 private:
  Finding enter_to_read(Node node, Fence fence, const Range& range) const;

  /// The largest by range.
  Extent<Fence> handed_out_;
  Extent<Fence> writers_;
  bool has_crashed_ = false;
};

/// Every writer's release makes a new version of its range; the next entry must see it. Unless all
/// that have seen it have crashed: then it may be lost.
class DataOracle {
 public:
  explicit DataOracle(Node nodes) : found_(nodes) {}
  Finding enter(Node node, const Entered& entered, const Wish& wish = {});
  /// What the holder leaves behind.
  DataRef release(Node node, const Wish& wish = {});
  /// Of an algorithm that keeps data nowhere else than where they were written or found.
  void crashed(Node node);
  /// What these knew is gone; the newest that anybody else has found or left counts from now on.
  DataRef recover(const std::vector<Node>& dead);

 private:
  Finding compare(Node node, const Range& range, std::uint64_t version) const;
  Finding compare_parts(Node node, const Range& range, const Entered& entered) const;

  Extent<std::uint64_t> written_;
  /// What each node found or left last, under the largest version of its parts.
  std::vector<DataRef> found_;
  bool may_be_lost_ = false;
};

/// Counts tokens at nodes and in messages.
class TokenOracle {
 public:
  void created(int tokens) { tokens_ += tokens; }
  /// A node's call took or gave this many tokens, in total with the messages it read and sent.
  Finding after_call(Node node, int difference);
  void lost() { --tokens_; }
  int tokens() const { return tokens_; }

 private:
  int tokens_ = 0;
};

/// No message to somebody who has left, neither when it is sent nor when it arrives, unless it may
/// come late. A crashed one may be sent to: nobody knows yet.
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

/// An algorithm's own words, empty if nothing is wrong.
inline Finding finding_of(std::string words) {
  return words.empty() ? Finding() : Finding(std::move(words));
}

/// At rest, the nodes together remember no more than those of a group that has just started.
Finding memory_at_rest(std::size_t remembered, std::size_t allowed);

/// Happened-before by vector clocks, through algorithm and application messages.
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

/// ME3: nobody enters while a request that happened before its own waits.
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
