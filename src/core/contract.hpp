// The contract between an algorithm and a world.
//
// An algorithm is a value: it is told what happened and writes what must be done into an outbox. It
// has no clock, no socket, no thread, no random source and no log. One value serves one lock at one
// node; the world frames every message with the lock, the epoch and the sender's incarnation.
//
// Each capability of an algorithm is a concept below. A world asks the concept and refuses, with a
// sentence, what the algorithm cannot do.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/clusters.hpp"
#include "core/fields.hpp"
#include "core/members.hpp"
#include "core/outbox.hpp"
#include "core/tuning.hpp"
#include "core/types.hpp"

namespace conch {

/// What a lock's value starts from: at the beginning, after a recovery, and in a test.
struct Assignment {
  Epoch epoch;
  Members members;
  /// The node that makes the lock's token, serves the lock, or is the root of its tree.
  NodeId home;
  /// The newest baton known: every later fence is larger, and the next holder gets these data.
  Baton baton;
  Tuning tuning;
  /// The members in the order of a logical ring; in the order of their identifiers if it is empty.
  std::vector<NodeId> ring = {};
  /// The clusters of the members; no other node is the first of one.
  Clusters clusters = {};

  /// A lock that nobody has used yet.
  static Assignment fresh(Members members, NodeId home, Tuning tuning = {}) {
    return {Epoch{}, std::move(members), home, Baton{Fence(Epoch{}, 0), DataRef{}}, tuning, {}, {}};
  }
};

/// A system in which an algorithm breaks, small enough that every interleaving is explored.
struct Trap {
  unsigned nodes = 2;
  /// How many requests each node makes.
  unsigned requests = 1;
  unsigned cancels = 0;
  unsigned leaves = 0;
  /// How many of the nodes start outside.
  unsigned joins = 0;
  // For an election.
  unsigned crashes = 0;
  unsigned restarts = 0;
  unsigned retires = 0;
  // For a hierarchical algorithm: cluster sizes, which replace `nodes`, and its threshold.
  std::array<unsigned, 4> clusters = {};
  unsigned eps = 0;
  /// Only the simulator catches it: the checker has no clock.
  bool timed = false;
};

/// The catalogue's line about an algorithm. The three costs are the textbook's; an election's
/// turnaround stands as its client delay.
struct About {
  std::string_view name;
  std::string_view family;
  std::string_view source;
  std::string_view messages;
  std::string_view client_delay;
  std::string_view sync_delay;
  /// Whether it promises ME2 (every request is granted) and ME3 (in happened-before order). All
  /// promise ME1.
  bool promises_progress = true;
  bool promises_order = false;
  bool needs_fifo = false;
  /// Leaving needs FIFO channels: otherwise a message could reach a node that is gone.
  bool leave_needs_fifo = false;
  /// Where a rule is left out on purpose: the property that breaks, and a system in which it does.
  std::string_view caught_by = "";
  Trap caught_in = {};
  /// Whether it uses the clusters; and whether near requests overtake distant ones, as often as
  /// Tuning::eps allows.
  bool minds_clusters = false;
  bool has_eps = false;
  /// Sends messages for ever, even when nobody wants to enter.
  bool restless = false;

  /// Commands that run an algorithm for real refuse one that is not sound.
  constexpr bool is_sound() const { return caught_by.empty(); }
};

/// The same algorithm with a rule taken away, and what shows that it was needed.
constexpr About broken(About about, std::string_view name, std::string_view source,
                       std::string_view caught_by, const Trap& caught_in = {}) {
  about.name = name;
  about.source = source;
  about.caught_by = caught_by;
  about.caught_in = caught_in;
  return about;
}

template <class A>
using OutboxOf = Outbox<typename A::Message>;

/// What every algorithm is.
template <class A>
concept Algorithm = std::copyable<A> && std::equality_comparable<A> && HasFields<A> &&
    std::constructible_from<A, NodeId, const Assignment&> && requires {
  std::variant_size<typename A::Message>::value;
} && std::same_as<const About, decltype(A::about)>;

/// Enters alone. The world calls `request` when the process neither waits nor holds, `release` when
/// it holds, `cancel` once while it waits. A cancel ends in `withdrawn` after a bounded number of
/// messages, whatever the holder does; the world does not call `request` again before that.
template <class A>
concept Exclusive = Algorithm<A> && requires(A a, const DataRef& data, OutboxOf<A>& out) {
  a.request(out);
  a.release(data, out);
  a.cancel(out);
};

/// Lets readers in together, and requests for disjoint ranges: `request` takes a wish; without one
/// it asks to write everything. A reader's fence is that of the last writer before it.
template <class A>
concept Shared = Exclusive<A> && requires(A a, const Wish& wish, OutboxOf<A>& out) {
  a.request(wish, out);
};

/// A node that is inside can tell that no other waits for what it holds: `may_be_wanted` is false
/// only then. A request that is still in flight does not count.
template <class A>
concept Attentive = Shared<A> && requires(const A a) {
  { a.may_be_wanted() } -> std::same_as<bool>;
};

/// Arranges the nodes in a structure that can be checked while nothing is in flight: `disorder`
/// says what is wrong with it; empty if nothing is.
template <class A>
concept Structured = Algorithm<A> && requires(const std::vector<const A*>& members) {
  { A::disorder(members) } -> std::same_as<std::string>;
};

/// Acts before any request; the world calls `start` once, first.
template <class A>
concept Starting = Algorithm<A> && requires(A a, OutboxOf<A>& out) {
  a.start(out);
};

/// Has one token, which is at a node or in a message of type `Token`.
template <class A>
concept TokenBased = Algorithm<A> && requires(const A a) {
  typename A::Token;
  { a.holds_token() } -> std::same_as<bool>;
};

/// Orders by happened-before: application messages carry `stamp()` and are `observe`d.
template <class A>
concept Causal = Algorithm<A> && requires(A a, Stamp stamp) {
  { a.stamp() } -> std::same_as<Stamp>;
  a.observe(stamp);
};

/// Members come and go. The world puts a newcomer on the roster before it calls `join`, takes a
/// leaver off after its `left`, and tells every member of each change. It calls `leave` only at a
/// node that neither waits nor holds. Other algorithms keep the members they started with.
template <class A>
concept Dynamic = Algorithm<A> &&
    requires(A a, NodeId contact, const Members& members, OutboxOf<A>& out) {
  a.join(contact, out);
  a.leave(out);
  a.roster(members, out);
};

/// Can be told that a node is believed to have crashed.
template <class A>
concept Suspecting = Algorithm<A> && requires(A a, NodeId node, OutboxOf<A>& out) {
  a.suspect(node, out);
};

/// Uses timers.
template <class A>
concept Timed = Algorithm<A> && requires(A a, TimerId timer, OutboxOf<A>& out) {
  a.timer(timer, out);
};

/// A message that is useless once its addressee has left. Any other must arrive before that.
template <class M>
inline constexpr bool may_come_late = requires {
  M::may_come_late;
};

template <class... Ms>
bool may_be_late(const std::variant<Ms...>& message) {
  return std::visit([]<class M>(const M&) { return may_come_late<M>; }, message);
}

/// Gives a message to the handler of its type.
template <Algorithm A>
void deliver(A& algorithm, NodeId from, const typename A::Message& message, OutboxOf<A>& out) {
  std::visit([&](const auto& chosen) { algorithm.receive(from, chosen, out); }, message);
}

}  // namespace conch
