#include "sim/population.hpp"

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

/// In-flight messages; freed slots are used again.
template <class Message>
class MessagePool {
 public:
  Slot put(Message&& message) {
    if (free_.empty()) {
      messages_.push_back(std::move(message));
      return static_cast<Slot>(messages_.size() - 1);
    }
    Slot slot = free_.back();
    free_.pop_back();
    messages_[slot] = std::move(message);
    return slot;
  }
  const Message& operator[](Slot slot) const { return messages_[slot]; }
  void free(Slot slot) { free_.push_back(slot); }

 private:
  std::vector<Message> messages_;
  std::vector<Slot> free_;
};

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

/// A protocol over an overlay: what is carried and what goes straight are the protocol's words, and
/// so is the state. The overlay's own kinds of messages come behind the protocol's.
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
class PopulationOf final : public Population {
 public:
  using Message = typename A::Message;

  PopulationOf(const CatalogEntry& entry, Node nodes, Host& host)
      : host_(host), entry_(entry), kinds_(Wording<A>::kinds()) {
    nodes_.resize(nodes);
  }

  const CatalogEntry& entry() const override { return entry_; }
  std::span<const std::string> kinds() const override { return kinds_; }

  void create(Node node, const Assignment& start) override {
    nodes_[node].emplace(id_of(node), entry_.tuned(start));
  }
  void destroy(Node node) override { nodes_[node].reset(); }
  void tell(Node node, const Input& input) override {
    call(node, [&](A& a, auto& out) { conch::apply(a, input, out); });
  }
  void receive(Node node, Node from, Slot slot) override {
    // The call may post messages, and the pool may move: take the message out first.
    Message message = pool_[slot];
    call(node, [&](A& a, auto& out) { deliver(a, id_of(from), message, out); });
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

  void discard(Slot slot) override { pool_.free(slot); }

  bool holds_token([[maybe_unused]] Node node) const override {
    if constexpr (TokenBased<A>) return nodes_[node] && nodes_[node]->holds_token();
    return false;
  }
  std::size_t remembered(Node node) const override { return conch::remembered(*nodes_[node]); }
  std::string state(Node node) const override { return Wording<A>::state(*nodes_[node]); }
  std::string brief_state(Node node) const override {
    return nodes_[node] ? Wording<A>::brief(*nodes_[node]) : "";
  }
  std::string print(Slot slot) const override { return Wording<A>::print(pool_[slot]); }
  bool may_be_late(Slot slot) const override { return conch::may_be_late(pool_[slot]); }
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
    function(*nodes_[node], outbox_);
    for (auto& send : outbox_.sends()) post(node, send);
    for (const Effect& effect : outbox_.effects())
      std::visit([&](const auto& chosen) { apply(node, chosen); }, effect);
  }
  void post(Node from, typename Outbox<Message>::Send& send) {
    Posted posted{.from = from,
                  .to = node_of(send.to),
                  .slot = 0,
                  .kind = static_cast<std::uint8_t>(Wording<A>::kind(send.message)),
                  .token = carries_token(send.message),
                  .bytes = static_cast<std::uint32_t>(encoded_size(send.message)),
                  .hash = hash64(send.message)};
    posted.slot = pool_.put(std::move(send.message));
    host_.post(posted);
  }
  static bool carries_token([[maybe_unused]] const Message& message) {
    if constexpr (TokenBased<A>) return std::holds_alternative<typename A::Token>(message);
    return false;
  }
  void apply(Node node, const Entered& entered) { host_.entered(node, entered); }
  void apply(Node node, const Withdrawn&) { host_.withdrawn(node); }
  void apply(Node node, const Forfeited&) { host_.lost(node); }
  void apply(Node node, const Joined&) { host_.joined(node); }
  void apply(Node node, const Left&) { host_.left(node); }
  void apply(Node node, const Armed& armed) { host_.armed(node, armed); }
  void apply(Node node, const Disarmed& disarmed) { host_.disarmed(node, disarmed.timer); }

  Host& host_;
  const CatalogEntry& entry_;
  std::vector<std::string> kinds_;
  std::vector<std::optional<A>> nodes_;
  MessagePool<Message> pool_;
  Outbox<Message> outbox_;
};

}  // namespace

std::unique_ptr<Population> make_population(const CatalogEntry& entry, Node nodes, Host& host,
                                            Underlay underlay) {
  auto make = [&]<class A>(std::type_identity<A>) {
    return std::unique_ptr<Population>(std::make_unique<PopulationOf<A>>(entry, nodes, host));
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
