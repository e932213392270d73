#include "check/model.hpp"

#include <map>
#include <mutex>

#include "catalog/classes.hpp"
#include "check/known_outcomes.hpp"
#include "check/numbering.hpp"
#include "core/input.hpp"
#include "core/measure.hpp"
#include "core/print.hpp"
#include "overlay/fixed_ring.hpp"
#include "overlay/routed.hpp"

namespace conch::check {

std::string_view word(Phase phase) {
  switch (phase) {
    case Phase::idle: return "idle";
    case Phase::waiting: return "waiting";
    case Phase::cancelling: return "cancelling";
    case Phase::inside: return "inside";
    case Phase::leaving: return "leaving";
    case Phase::joining: return "joining";
    case Phase::gone: return "gone";
    case Phase::crashed: return "crashed";
  }
  return "?";
}

/// Packs a fence into one word of a state. No explored system has more than 2^16 epochs, or entries
/// in one epoch.
std::uint32_t rank(Fence fence) {
  constexpr std::uint64_t limit = 1 << 16;
  std::uint64_t epoch = fence.epoch().value;
  CONCH_EXPECT(epoch < limit && fence.count() < limit, "a fence that fits into a state");
  return static_cast<std::uint32_t>(epoch * limit + fence.count());
}

namespace {

template <Algorithm A>
struct Local {
  A value;
  Phase phase = Phase::idle;
  std::uint32_t requests_left = 0;
  /// The data that the holder found, from which it writes the next version.
  DataRef data;
  std::uint32_t armed = 0;
  CONCH_FIELDS(Local, value, phase, requests_left, data, armed)
};

/// A protocol that runs over an overlay.
template <class A>
concept OverOverlay = requires(const A& a) {
  a.protocol();
  a.overlay();
};

void breaks(InputOutcome& outcome, const char* what) {
  outcome.broken = std::make_unique<std::string>(what);
}

Members members_of(std::uint32_t bits) {
  std::vector<NodeId> nodes;
  for (Node node = 0; node < nodes_max; ++node)
    if ((bits >> node & 1) != 0) nodes.push_back(NodeId{node});
  return Members(nodes);
}

template <Algorithm A>
class ModelOf final : public Model {
 public:
  using Message = typename A::Message;

  ModelOf(const CatalogEntry& entry, const Setting& setting, std::size_t bytes_max)
      : Model(bytes_max),
        entry_(entry),
        setting_(setting),
        start_(entry.tuned(Assignment::fresh(Members::first(setting.nodes - setting.newcomers),
                                             NodeId{0}, setting.tuning))) {
    start_.ring = setting.ring;
    start_.clusters = Clusters::sized(setting.clusters, setting.sites);
  }

  const CatalogEntry& entry() const override { return entry_; }

  bool intercepts() const override {
    if constexpr (OverOverlay<A>)
      return std::remove_cvref_t<decltype(std::declval<A>().protocol())>::intercepts;
    return false;
  }

  LocalId initial(Node node) override {
    std::lock_guard lock(mutex_);
    bool outside = node >= setting_.nodes - setting_.newcomers;
    Phase phase = outside ? Phase::gone : Phase::idle;
    return number({A(NodeId{node}, start_), phase, setting_.requests_of(node), {}, 0});
  }

  std::uint32_t requests_left(LocalId local) override {
    std::lock_guard lock(mutex_);
    return locals_[local.index()].requests_left;
  }

  std::uint32_t armed(LocalId local) override {
    std::lock_guard lock(mutex_);
    return locals_[local.index()].armed;
  }

  Ballot ballot([[maybe_unused]] LocalId local) override {
    Ballot ballot;
    if constexpr (Elector<A>) {
      std::lock_guard lock(mutex_);
      const A& value = locals_[local.index()].value;
      if (value.elected()) ballot.elected = static_cast<Node>(value.elected()->value);
      ballot.participant = value.participant();
      ballot.retired = value.retired();
    }
    return ballot;
  }

  std::size_t remembered(LocalId local) override {
    std::lock_guard lock(mutex_);
    return conch::remembered(locals_[local.index()].value);
  }

  std::size_t remembered_at_start(std::uint32_t bits) override {
    Members members = members_of(bits);
    if (members.size() == 0) return 0;
    Assignment start = entry_.tuned(Assignment::fresh(members, members[0], setting_.tuning));
    start.clusters = start_.clusters;
    std::size_t sum = 0;
    for (NodeId node : members) sum += conch::remembered(A(node, start));
    return sum;
  }

  const InputOutcome& apply(Node node, LocalId local, const PackedInput& input) override {
    std::lock_guard lock(mutex_);
    std::uint64_t key = std::uint64_t{local.number} << 32 | input.key();
    return known_.get(key, [&]() -> const InputOutcome& {
      outcomes_.push_back(compute(node, local, input));
      return outcomes_.back();
    });
  }

  std::string disorder([[maybe_unused]] std::span<const LocalId> members) override {
    if constexpr (Structured<A>) {
      std::vector<const A*> values;
      std::unique_lock lock(mutex_);
      for (LocalId local : members) values.push_back(&locals_[local.index()].value);
      lock.unlock();  // numbered values never move
      return A::disorder(values);
    }
    return {};
  }

  bool may_be_late(MessageId message) override {
    std::lock_guard lock(mutex_);
    return conch::may_be_late(messages_[message.index()]);
  }

  std::string print(MessageId message) override {
    std::lock_guard lock(mutex_);
    return conch::print(messages_[message.index()]);
  }

  std::string difference(LocalId before, LocalId after) override {
    std::lock_guard lock(mutex_);
    std::vector<std::pair<std::string, std::string>> old = fields(before);
    std::vector<std::pair<std::string, std::string>> now = fields(after);
    std::string text;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].second == now[i].second) continue;
      text +=
          (text.empty() ? "" : ", ") + old[i].first + " " + old[i].second + " -> " + now[i].second;
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> fields(LocalId local) const {
    std::vector<std::pair<std::string, std::string>> list;
    visit_fields(locals_[local.index()].value, [&](std::string_view name, const auto& field) {
      list.emplace_back(label(name), conch::print(field));
    });
    return list;
  }

  LocalId number(const Local<A>& local) {
    bool token = false;
    bool exists = local.phase != Phase::gone && local.phase != Phase::crashed;
    if constexpr (TokenBased<A>) token = exists && local.value.holds_token();
    return LocalId::make(locals_.number(local), token, local.phase);
  }

  MessageId number(const Message& message) {
    bool token = false;
    if constexpr (TokenBased<A>) token = std::holds_alternative<typename A::Token>(message);
    MessageId id = MessageId::make(messages_.number(message), token);
    if (id.number >= MessageId::limit) throw std::length_error("more than 8 million messages");
    return id;
  }

  InputOutcome compute(Node node, LocalId before, const PackedInput& input) {
    Local<A> local = locals_[before.index()];
    Outbox<Message> out;
    InputOutcome outcome;
    InvariantWatch watch;
    try {
      perform(node, local, input, out, outcome);
    } catch (const BrokenInvariant& broken) {
      outcome.broken = std::make_unique<std::string>(broken.what());
      outcome.next = before;
      return outcome;
    }
    for (const auto& send : out.sends())
      outcome.sent.push_back({static_cast<Node>(send.to.value), number(send.message)});
    for (const Effect& effect : out.effects())
      std::visit([&](const auto& chosen) { apply_effect(local, chosen, outcome); }, effect);
    if constexpr (OverOverlay<A>)
      if (setting_.forget && local.requests_left == 0) local.value.asks_no_more();
    // Reset a node that has left: what it remembers makes no difference any more.
    if (local.phase == Phase::gone) {
      local.value = A(NodeId{node}, start_);
      local.armed = 0;
    }
    outcome.next = number(local);
    if constexpr (OverOverlay<A>) observe(before, input, out, outcome);
    return outcome;
  }

  /// Fills in the parts of an outcome that only protocols over an overlay have.
  void observe(LocalId before, const PackedInput& input, Outbox<Message>& out,
               InputOutcome& outcome) const {
    bool carries = false;
    for (const auto& send : out.sends()) {
      carries |= std::holds_alternative<typename A::Carried>(send.message);
      outcome.handed_on |= name_of(send.message) == "Token";
      outcome.yielded |= name_of(send.message) == "Yield";
    }
    if (input.kind != InputKind::deliver) return;
    const Message& message = messages_[MessageId{input.argument}.index()];
    const A& value = locals_[before.index()].value;
    auto* carried = std::get_if<typename A::Carried>(&message);
    outcome.stopped = carried && value.overlay().next_hop(carried->key) && !carries;
    outcome.passes_by = value.passes_by(NodeId{input.other}, message);
    if (outcome.passes_by && outcome.next != before)
      breaks(outcome, "a message that should pass by makes a difference");
  }

  /// The type name of a message, whether it is routed over the overlay or sent directly.
  static std::string_view name_of(const Message& message) {
    return std::visit(
        []<class M>(const M& m) -> std::string_view {
          if constexpr (requires { m.message; })
            return std::visit([]<class N>(const N&) -> std::string_view { return N::type_name; },
                              m.message);
          return M::type_name;
        },
        message);
  }

  void perform(Node node, Local<A>& local, const PackedInput& input, Outbox<Message>& out,
               InputOutcome& outcome) {
    A& value = local.value;
    NodeId other{input.other};
    switch (input.kind) {
      case InputKind::start: return conch::apply(value, input::Start{}, out);
      case InputKind::request:
        local.phase = Phase::waiting;
        --local.requests_left;
        return conch::apply(value, input::Request{wish_of(node)}, out);
      case InputKind::release: {
        local.phase = Phase::idle;
        DataRef data = std::exchange(local.data, DataRef{});
        if (!setting_.reads(node)) {
          outcome.has_released = true;
          outcome.released = static_cast<std::uint32_t>(++data.version);
        }
        return conch::apply(value, input::Release{data}, out);
      }
      case InputKind::cancel:
        local.phase = Phase::cancelling;
        return conch::apply(value, input::Cancel{}, out);
      case InputKind::deliver:
        return conch::deliver(value, other, messages_[MessageId{input.argument}.index()], out);
      case InputKind::timer:
        disarm(local, input.argument);
        return conch::apply(value, input::Timer{TimerId{static_cast<std::uint8_t>(input.argument)}},
                            out);
      case InputKind::suspect: return conch::apply(value, input::Suspect{other}, out);
      case InputKind::leave:
        local.phase = Phase::leaving;
        return conch::apply(value, input::Leave{}, out);
      case InputKind::join:
        local.phase = Phase::joining;
        local.value = A(NodeId{node}, Assignment{Epoch{},
                                                 members_of(input.argument),
                                                 other,
                                                 Baton{},
                                                 start_.tuning,
                                                 {},
                                                 start_.clusters});
        return conch::apply(local.value, input::Join{other}, out);
      case InputKind::roster:
        return conch::apply(value, input::Roster{members_of(input.argument)}, out);
      case InputKind::crash: {
        std::uint32_t left = Elector<A> ? local.requests_left : 0;
        local = {A(NodeId{node}, start_), Phase::crashed, left, {}, 0};
        return;
      }
      case InputKind::elect:
        local.requests_left -= input.argument;
        return conch::apply(value, input::Elect{}, out);
      case InputKind::retire: return conch::apply(value, input::Retire{}, out);
      case InputKind::restart:
        local.phase = Phase::idle;
        return conch::apply(value, input::Restart{}, out);
      case InputKind::tick: return tick(local);
    }
  }

  static void tick(Local<A>& local) {
    for (std::uint32_t timer = 0; timer < 32 / timer_bits; ++timer)
      if (ticks_of(local.armed, timer) > 1) local.armed -= 1U << (timer_bits * timer);
  }
  static void disarm(Local<A>& local, std::uint32_t timer) {
    if constexpr (Elector<A>) {
      local.armed &= ~(((1U << timer_bits) - 1) << (timer_bits * timer));
    } else {
      local.armed &= ~(1U << timer);
    }
  }

  Wish wish_of(Node node) const { return {setting_.reads(node) ? Mode::read : Mode::write, {}}; }

  void apply_effect(Local<A>& local, const Entered& entered, InputOutcome& outcome) {
    if (local.phase != Phase::waiting) breaks(outcome, "a node entered that did not wait");
    local.phase = Phase::inside;
    local.data = entered.baton.data;
    outcome.has_entered = true;
    outcome.entered = {rank(entered.baton.fence),
                       static_cast<std::uint32_t>(entered.baton.data.version)};
  }
  void apply_effect(Local<A>& local, const Withdrawn&, InputOutcome& outcome) {
    if (local.phase != Phase::cancelling) breaks(outcome, "withdrawn without a cancel");
    local.phase = Phase::idle;
    outcome.withdrew = true;
  }
  void apply_effect(Local<A>&, const Forfeited&, InputOutcome& outcome) {
    breaks(outcome, "a lease ran out where nothing has leases");
  }
  void apply_effect(Local<A>& local, const Joined&, InputOutcome& outcome) {
    local.phase = Phase::idle;
    outcome.joined = true;
  }
  void apply_effect(Local<A>& local, const Left&, InputOutcome& outcome) {
    local.phase = Phase::gone;
    outcome.left = true;
  }
  void apply_effect(Local<A>& local, const Armed& armed, InputOutcome&) {
    auto timer = static_cast<std::uint32_t>(armed.timer);
    CONCH_EXPECT(timer < 32, "a system that is explored has few timers, and no leases");
    disarm(local, timer);
    if constexpr (Elector<A>) {
      local.armed |= static_cast<std::uint32_t>(armed.min.count() + 1) << (timer_bits * timer);
    } else {
      local.armed |= 1U << timer;
    }
  }
  void apply_effect(Local<A>& local, const Disarmed& disarmed, InputOutcome&) {
    disarm(local, static_cast<std::uint32_t>(disarmed.timer));
  }

  const CatalogEntry& entry_;
  Setting setting_;
  Assignment start_;
  std::mutex mutex_;
  Numbering<Local<A>> locals_{memory()};
  Numbering<Message> messages_{memory()};
  Blocks<InputOutcome> outcomes_{memory()};
  KnownOutcomes<InputOutcome> known_{memory()};
};

}  // namespace

std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting,
                                  std::size_t bytes_max) {
  auto make = [&]<class A>(std::type_identity<A>) {
    return std::unique_ptr<Model>(std::make_unique<ModelOf<A>>(entry, setting, bytes_max));
  };
  if (entry.can.elects) return with_elector(entry, make);
  if (!entry.can.routed) return with_algorithm(entry, make);
  return with_protocol(entry, [&]<class P>(std::type_identity<P>) {
    return make(std::type_identity<overlay::Routed<P, overlay::FixedRing>>{});
  });
}

}  // namespace conch::check
