// A peer of a group that recovers, as the checker sees it: numbered view protocols, messages and
// views, and the outcome of one input at one peer. Each outcome is computed once and then looked
// up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "check/model.hpp"
#include "recovery/lock.hpp"
#include "recovery/specimens.hpp"
#include "recovery/view.hpp"
#include "recovery/view_protocol.hpp"

namespace conch::check::group {

using recovery::Doing;
using recovery::Rule;
using recovery::View;
using recovery::ViewStage;

/// One incarnation of a peer. All first incarnations come first, then all second ones, and so on.
using InstanceNumber = std::uint32_t;
inline constexpr InstanceNumber slots_max = 16;
/// Slots as a set of bits.
using InstanceSet = std::uint32_t;

using PeerNumber = std::uint32_t;
using MessageNumber = std::uint32_t;
using ViewNumber = std::uint32_t;

struct Setting {
  std::string algorithm;
  Node nodes = 3;
  /// How many nodes, counted from the last, are not in the group at the start.
  Node newcomers = 0;
  /// How often a peer may start, including the first time.
  std::uint32_t lives = 1;
  std::uint32_t requests = 1;
  Tuning tuning;
  Rule without = Rule::none;
  /// The sizes of the clusters, in the order of the nodes; empty if all nodes are in one.
  std::vector<Node> clusters = {};

  InstanceNumber slots() const { return nodes * lives; }
  PeerInstance life(InstanceNumber slot) const {
    return {NodeId{slot % nodes}, Incarnation{slot / nodes + 1}};
  }
  recovery::Member member(InstanceNumber slot) const {
    recovery::Member member{life(slot).id, life(slot).incarnation};
    Node last = 0;
    for (std::size_t cluster = 0; cluster < clusters.size() && member.cluster.empty(); ++cluster) {
      last += clusters[cluster];
      if (slot % nodes < last) member.cluster = std::to_string(cluster);
    }
    return member;
  }
  InstanceNumber slot(const PeerInstance& life) const {
    auto before = static_cast<InstanceNumber>(life.incarnation) - 1;
    return before * nodes + static_cast<InstanceNumber>(life.id.value);
  }
};

/// What the checker needs to know of a view protocol and its process. A write is identified by the
/// fence of its writer, which the data carry as their size.
struct Facts {
  ViewStage stage = ViewStage::outside;
  Doing doing = Doing::nothing;
  Epoch epoch{0};
  bool decides = false;
  bool may_request = false;
  /// The fence with which the process is inside.
  Fence held;
  /// The newest write that this process has found or made, and the newest whose bytes it has.
  Fence seen;
  Fence copy;
  /// The armed timers, as a set of bits.
  std::uint32_t armed = 0;
  std::size_t early = 0;
  std::optional<ViewNumber> eviction;
};

enum class InputKind : std::uint8_t {
  request,
  release,
  cancel,
  receive,
  learn,
  timer,
  lapse,
  fetch,
  will_leave
};

struct PackedInput {
  InputKind kind = InputKind::request;
  InstanceNumber from = 0;
  /// The message, the timer, or a view and the slots whose leases have ended.
  std::uint32_t argument = 0;

  /// Peer and input in one number, to look up the outcome.
  std::uint64_t key(PeerNumber peer) const {
    return std::uint64_t{peer} << 40 | std::uint64_t(kind) << 36 | std::uint64_t{from} << 32 |
           argument;
  }
  static PackedInput learn(ViewNumber view, InstanceSet ended) {
    return {InputKind::learn, 0, view << 16 | ended};
  }
};

struct Sent {
  InstanceNumber to;
  MessageNumber message;
};

struct Grant {
  Baton baton;
  bool rolled_back = false;
  Fence write() const { return Fence(baton.data.size); }
};

/// What one input did.
struct InputOutcome {
  PeerNumber next = 0;
  std::vector<Sent> sent;
  std::vector<Grant> grants;
  bool lost = false;
  bool withdrew = false;
  bool admitted = false;
  bool departed = false;
  /// Which invariant is broken; empty if none.
  std::string broken;
};

/// What the checker needs to know of a message in flight.
struct MessageFacts {
  /// The epoch of an algorithm's message; empty for other messages.
  std::optional<Epoch> told;
};

/// Numbers peers, messages and views, and computes outcomes. Safe to use from several threads. The
/// references that it returns stay valid as long as it exists.
class Model {
 public:
  explicit Model(std::size_t bytes_max) : memory_(bytes_max) {}
  virtual ~Model() = default;

  /// The memory bound of the search that uses this model.
  MemoryBudget& memory() { return memory_; }

  virtual const CatalogEntry& entry() const = 0;
  virtual PeerNumber newborn(InstanceNumber slot) = 0;
  virtual const Facts& facts(PeerNumber peer) = 0;
  virtual const InputOutcome& apply(PeerNumber peer, const PackedInput& input) = 0;
  virtual MessageFacts message(MessageNumber message) = 0;

  virtual ViewNumber number(const View& view) = 0;
  virtual const View& view(ViewNumber view) = 0;
  /// The views that a newcomer and a leaving member propose.
  virtual ViewNumber admission(PeerNumber peer, ViewNumber view, InstanceSet ended) = 0;
  virtual ViewNumber departure(PeerNumber peer) = 0;
  /// The view that a peer proposes when it cannot reach another.
  virtual std::optional<ViewNumber> eviction_of(PeerNumber peer, InstanceNumber suspect) = 0;

  virtual std::string print(MessageNumber message) = 0;
  /// The fields that differ, as `stage working -> frozen`.
  virtual std::string difference(PeerNumber before, PeerNumber after) = 0;

 private:
  MemoryBudget memory_;
};

/// The only lock. Every peer wants it.
inline const std::string the_lock = "conch";

/// The entry must outlive the model and be a sound algorithm, no specimen.
std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting,
                                  std::size_t bytes_max);

}  // namespace conch::check::group
