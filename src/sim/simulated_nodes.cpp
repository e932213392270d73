#include "sim/simulated_nodes.hpp"

#include <optional>

#include "catalog/classes.hpp"
#include "core/hash.hpp"
#include "core/measure.hpp"
#include "core/print.hpp"
#include "overlay/fixed_ring.hpp"
#include "overlay/pastry.hpp"
#include "overlay/routed.hpp"
#include "sim/protocol_words.hpp"

namespace conch::sim {

namespace {

template <class Message>
std::vector<std::string> kinds_of() {
  return []<class... Ms>(std::type_identity<std::variant<Ms...>>) {
    return std::vector<std::string>{upper_case(Ms::type_name)...};
  }(std::type_identity<Message>{});
}

template <class T>
std::string print_brief(const T& value) {
  std::string out;
  visit_fields(value, [&](std::string_view name, const auto& field) {
    std::string_view shown = label(name);
    if (shown == "self" || shown == "members") return;
    if (!out.empty()) out += ", ";
    out += shown;
    out += ' ';
    print_to(out, field);
  });
  return out;
}

/// How an algorithm's messages and values are shown.
template <class A>
struct Wording {
  using Message = typename A::Message;
  static std::vector<std::string> kinds() { return kinds_of<Message>(); }
  static std::size_t kind(const Message& message) { return message.index(); }
  static std::string print(const Message& message) { return conch::print(message); }
  static std::string state(const A& value) { return print_fields(value); }
  static std::string brief(const A& value) { return print_brief(value); }
};

/// A protocol over an overlay: messages, carried or direct, and the state are shown as the
/// protocol's. The overlay's own kinds of messages come after the protocol's.
template <class P, class O>
struct Wording<overlay::Routed<P, O>> {
  using A = overlay::Routed<P, O>;
  using Message = typename A::Message;
  static std::vector<std::string> kinds() {
    std::vector<std::string> kinds = kinds_of<typename P::Message>();
    if constexpr (!std::same_as<O, overlay::FingerRing>)
      for (std::string& kind : kinds_of<typename O::Message>()) kinds.push_back(std::move(kind));
    return kinds;
  }
  static std::size_t kind(const Message& message) {
    if (auto* said = said_in<A>(message)) return said->index();
    return std::variant_size_v<typename P::Message> + message.index();
  }
  static std::string print(const Message& message) { return print_said<A>(message); }
  static std::string state(const A& value) { return print_protocol(value); }
  static std::string brief(const A& value) { return state(value); }
};

template <Algorithm A>
class SimulatedNodesOf final : public SimulatedNodes {
 public:
  using Message = typename A::Message;

  SimulatedNodesOf(const CatalogEntry& entry, Node nodes, EffectSink& host)
      : host_(host), entry_(entry), kinds_(Wording<A>::kinds()) {
    nodes_.resize(nodes);
  }

  const CatalogEntry& entry() const override { return entry_; }
  std::span<const std::string> kinds() const override { return kinds_; }

  void create(Node node, const Assignment& start) override {
    destroy(node);
    nodes_[node].emplace(id_of(node), entry_.tuned(start));
    tokens_ += holds_token(node);
  }
  void destroy(Node node) override {
    tokens_ -= holds_token(node);
    nodes_[node].reset();
  }
  void tell(Node node, const Input& input) override {
    call(node, [&](A& a, auto& out) { conch::apply(a, input, out); });
  }
  void receive(Node node, Node from, Slot slot) override {
    call(node, [&](A& a, auto& out) { deliver(a, id_of(from), messages_[slot], out); });
  }
  std::optional<NodeId> elected([[maybe_unused]] Node node) const override {
    if constexpr (Elector<A>) return nodes_[node]->elected();
    return {};
  }
  bool participant([[maybe_unused]] Node node) const override {
    if constexpr (Elector<A>) return nodes_[node]->participant();
    return false;
  }
  bool retired([[maybe_unused]] Node node) const override {
    if constexpr (Elector<A>) return nodes_[node]->retired();
    return false;
  }
  Stamp stamp([[maybe_unused]] Node node) override {
    if constexpr (Causal<A>) return nodes_[node]->stamp();
    return {};
  }
  void observe([[maybe_unused]] Node node, [[maybe_unused]] Stamp stamp) override {
    if constexpr (Causal<A>) nodes_[node]->observe(stamp);
  }
  void tell_time([[maybe_unused]] Node node, [[maybe_unused]] Fence now) override {
    if constexpr (Carrying<A>) nodes_[node]->tell_time(now);
  }

  void discard(Slot slot) override { messages_.free(slot); }

  bool holds_token(Node node) const override { return nodes_[node] && holds(*nodes_[node]); }
  std::size_t remembered(Node node) const override { return conch::remembered(*nodes_[node]); }
  std::string state(Node node) const override { return Wording<A>::state(*nodes_[node]); }
  std::string brief_state(Node node) const override {
    return nodes_[node] ? Wording<A>::brief(*nodes_[node]) : "";
  }
  std::string print(Slot slot) const override { return Wording<A>::print(messages_[slot]); }
  bool may_be_late(Slot slot) const override { return conch::may_be_late(messages_[slot]); }
  std::string disorder([[maybe_unused]] const std::vector<Node>& members) const override {
    if constexpr (Structured<A>) {
      std::vector<const A*> values;
      for (Node node : members) values.push_back(&*nodes_[node]);
      return A::disorder(values);
    }
    return {};
  }
  std::size_t bytes_per_node() const override { return sizeof(A); }

 private:
  template <class Call>
  void call(Node node, Call&& function) {
    outbox_.clear();
    A& value = *nodes_[node];
    int tokens = holds(value);
    function(value, outbox_);
    tokens_ += holds(value) - tokens;
    for (auto& send : outbox_.sends()) post(node, send);
    for (const Effect& effect : outbox_.effects())
      std::visit([&](const auto& chosen) { apply(node, chosen); }, effect);
  }
  void post(Node from, typename Outbox<Message>::Send& send) {
    Posted posted{.from = from,
                  .to = node_of(send.to),
                  .slot = 0,
                  .kind = static_cast<std::uint8_t>(Wording<A>::kind(send.message)),
                  .token = false,
                  .bytes = 0,
                  .hash = 0};
    std::visit([&](const auto& message) { describe(message, send.message.index(), posted); },
               send.message);
    posted.slot = messages_.put(std::move(send.message));
    host_.post(posted);
  }
  /// Gives what `encoded_size` and `hash64` give for the variant that holds this message.
  template <class M>
  static void describe(const M& message, std::size_t index, Posted& posted) {
    if constexpr (TokenBased<A>) posted.token = std::same_as<M, typename A::Token>;
    posted.bytes = static_cast<std::uint32_t>(encoded_size_of_choice(index, message));
    Hash64 hash;
    hash.mix(index);
    hash_into(hash, message);
    posted.hash = hash.value();
  }
  static int holds([[maybe_unused]] const A& value) {
    if constexpr (TokenBased<A>) return value.holds_token();
    return 0;
  }
  void apply(Node node, const Entered& entered) { host_.entered(node, entered); }
  void apply(Node node, const Withdrawn&) { host_.withdrawn(node); }
  void apply(Node node, const Forfeited&) { host_.lost(node); }
  void apply(Node node, const Joined&) { host_.joined(node); }
  void apply(Node node, const Left&) { host_.left(node); }
  void apply(Node node, const Armed& armed) { host_.armed(node, armed); }
  void apply(Node node, const Disarmed& disarmed) { host_.disarmed(node, disarmed.timer); }

  EffectSink& host_;
  const CatalogEntry& entry_;
  std::vector<std::string> kinds_;
  std::vector<std::optional<A>> nodes_;
  Slots<Message> messages_;
  Outbox<Message> outbox_;
};

}  // namespace

std::unique_ptr<SimulatedNodes> make_simulated_nodes(const CatalogEntry& entry, Node nodes,
                                                     EffectSink& host, Underlay underlay) {
  auto make = [&]<class A>(std::type_identity<A>) {
    return std::unique_ptr<SimulatedNodes>(
        std::make_unique<SimulatedNodesOf<A>>(entry, nodes, host));
  };
  if (entry.can.elects) return with_elector(entry, make);
  if (!entry.can.routed) return with_algorithm(entry, make);
  return with_protocol(entry, [&]<class P>(std::type_identity<P>) {
    if (underlay == Underlay::pastry)
      return make(std::type_identity<overlay::Routed<P, overlay::Pastry>>{});
    return make(std::type_identity<overlay::Routed<P, overlay::FingerRing>>{});
  });
}

}  // namespace conch::sim
