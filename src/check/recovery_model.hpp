// A peer of a group that recovers, as the checker sees it: numbered participants, messages and
// views, and what one input does to one peer. Whatever was computed once is looked up from then on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "check/model.hpp"
#include "recovery/lock.hpp"
#include "recovery/participant.hpp"
#include "recovery/rules.hpp"
#include "recovery/view.hpp"

namespace conch::check::group {

using recovery::Doing;
using recovery::Life;
using recovery::Rule;
using recovery::Stage;
using recovery::View;

/// A life of a peer: first all the first lives, then all the second, and so on.
using Slot = std::uint32_t;
inline constexpr Slot slots_max = 16;
/// Slots as a set of bits.
using Slots = std::uint32_t;

using PeerNumber = std::uint32_t;
using MessageNumber = std::uint32_t;
using ViewNumber = std::uint32_t;

struct Setting {
  std::string algorithm;
  Node nodes = 3;
  /// The last of them are not in the group when it starts.
  Node newcomers = 0;
  /// As often as a peer may start, once included.
  std::uint32_t lives = 1;
  std::uint32_t requests = 1;
  Tuning tuning;
  Rule without = Rule::none;
  /// Their sizes, in the order of the nodes; empty if all are in one.
  std::vector<Node> clusters = {};

  Slot slots() const { return nodes * lives; }
  Life life(Slot slot) const {
    return {NodeId{slot % nodes}, recovery::Incarnation{slot / nodes + 1}};
  }
  recovery::Member member(Slot slot) const {
    recovery::Member member{life(slot).id, life(slot).incarnation};
    Node last = 0;
    for (std::size_t cluster = 0; cluster < clusters.size() && member.cluster.empty(); ++cluster) {
      last += clusters[cluster];
      if (slot % nodes < last) member.cluster = std::to_string(cluster);
    }
    return member;
  }
  Slot slot(const Life& life) const {
    auto before = static_cast<Slot>(life.incarnation) - 1;
    return before * nodes + static_cast<Slot>(life.id.value);
  }
};

/// What there is to know of a participant and its process. A write is known by the fence of its
/// writer, which the data carry as their size.
struct Facts {
  Stage stage = Stage::outside;
  Doing doing = Doing::nothing;
  Epoch epoch{0};
  bool decides = false;
  bool may_request = false;
  /// With which fence it is inside.
  Fence held;
  /// The newest write that this process has found or left, and the newest whose bytes are here.
  Fence seen;
  Fence copy;
  /// Timers that run, as a set of bits.
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

struct Input {
  InputKind kind = InputKind::request;
  Slot from = 0;
  /// The message, the timer, or a view and the lives whose leases have ended.
  std::uint32_t argument = 0;

  /// Together with the peer, in one number, so that it can be looked up.
  std::uint64_t key(PeerNumber peer) const {
    return std::uint64_t{peer} << 40 | std::uint64_t(kind) << 36 | std::uint64_t{from} << 32 |
           argument;
  }
  static Input learn(ViewNumber view, Slots ended) {
    return {InputKind::learn, 0, view << 16 | ended};
  }
};

struct Sent {
  Slot to;
  MessageNumber message;
};

struct Grant {
  Baton baton;
  bool rolled_back = false;
  Fence write() const { return Fence(baton.data.size); }
};

/// What one input did.
struct Outcome {
  PeerNumber next = 0;
  std::vector<Sent> sent;
  std::vector<Grant> grants;
  bool lost = false;
  bool withdrew = false;
  bool admitted = false;
  bool departed = false;
  /// Not empty: an invariant is broken.
  std::string broken;
};

/// What there is to know of a message in flight.
struct MessageFacts {
  /// Of an algorithm's message: the epoch it belongs to.
  std::optional<Epoch> told;
};

/// Safe to use from several threads; what it returns stays valid as long as it lives.
class Model {
 public:
  explicit Model(std::size_t bytes_max) : memory_(bytes_max) {}
  virtual ~Model() = default;

  /// The memory that the search using this model may take.
  Memory& memory() { return memory_; }

  virtual const CatalogEntry& entry() const = 0;
  virtual PeerNumber newborn(Slot slot) = 0;
  virtual const Facts& facts(PeerNumber peer) = 0;
  virtual const Outcome& apply(PeerNumber peer, const Input& input) = 0;
  virtual MessageFacts message(MessageNumber message) = 0;

  virtual ViewNumber number(const View& view) = 0;
  virtual const View& view(ViewNumber view) = 0;
  /// What a newcomer, and one that leaves, propose.
  virtual ViewNumber admission(PeerNumber peer, ViewNumber view, Slots ended) = 0;
  virtual ViewNumber departure(PeerNumber peer) = 0;
  /// What one proposes that cannot reach another.
  virtual std::optional<ViewNumber> eviction_of(PeerNumber peer, Slot suspect) = 0;

  virtual std::string print(MessageNumber message) = 0;
  /// What differs, as `stage working -> frozen`.
  virtual std::string difference(PeerNumber before, PeerNumber after) = 0;

 private:
  Memory memory_;
};

/// The lock that everybody wants.
inline const std::string the_lock = "conch";

/// The entry must outlive the model and be one that runs for real.
std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting,
                                  std::size_t bytes_max);

}  // namespace conch::check::group
