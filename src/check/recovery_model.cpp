#include "check/recovery_model.hpp"

#include <map>
#include <mutex>

#include "catalog/real_algorithms.hpp"
#include "check/known_outcomes.hpp"
#include "check/numbering.hpp"
#include "sim/describe.hpp"

namespace conch::check::group {

namespace {

/// A view protocol and its process.
struct Peer {
  recovery::ViewProtocol participant;
  std::uint32_t requests_left = 0;
  /// Whether it has asked to leave. Then it makes no more requests.
  bool will_leave = false;
  /// The data that the holder found, from which it writes the next version.
  DataRef found;
  Fence seen;
  std::map<TimerId, Epoch> armed;
  CONCH_FIELDS(Peer, participant, requests_left, will_leave, found, seen, armed)
};

class GroupModel final : public Model {
 public:
  using ViewProtocol = recovery::ViewProtocol;
  using Message = recovery::Message;
  using Orders = recovery::ReadableEffects;

  GroupModel(const CatalogEntry& entry, const Setting& setting, std::size_t bytes_max)
      : Model(bytes_max), entry_(entry), setting_(setting) {}

  const CatalogEntry& entry() const override { return entry_; }

  PeerNumber newborn(InstanceNumber slot) override {
    std::lock_guard lock(mutex_);
    recovery::Charter charter{std::string(entry_.about.name), &algorithm_of(entry_),
                              entry_.tuned(setting_.tuning), policy_without(setting_.without)};
    return number(
        {ViewProtocol(setting_.member(slot), charter), setting_.requests, false, {}, {}, {}});
  }

  const Facts& facts(PeerNumber peer) override {
    std::lock_guard lock(mutex_);
    return facts_[peer];
  }

  const InputOutcome& apply(PeerNumber peer, const PackedInput& input) override {
    std::lock_guard lock(mutex_);
    return known_.get(input.key(peer), [&]() -> const InputOutcome& {
      outcomes_.push_back(compute(peer, input));
      return outcomes_.back();
    });
  }

  MessageFacts message(MessageNumber message) override {
    std::lock_guard lock(mutex_);
    const auto* told = std::get_if<recovery::LockMessage>(&messages_[message]);
    return {told ? std::optional(told->epoch) : std::nullopt};
  }

  ViewNumber number(const View& view) override {
    std::lock_guard lock(mutex_);
    return number_view(view);
  }
  const View& view(ViewNumber view) override {
    std::lock_guard lock(mutex_);
    return views_[view];
  }
  ViewNumber admission(PeerNumber peer, ViewNumber view, InstanceSet ended) override {
    std::lock_guard lock(mutex_);
    return number_view(peers_[peer].participant.admission(snapshot(view, ended)));
  }
  ViewNumber departure(PeerNumber peer) override {
    std::lock_guard lock(mutex_);
    return number_view(peers_[peer].participant.departure());
  }
  std::optional<ViewNumber> eviction_of(PeerNumber peer, InstanceNumber suspect) override {
    std::lock_guard lock(mutex_);
    std::optional<View> view = peers_[peer].participant.eviction_of(setting_.life(suspect));
    if (!view) return std::nullopt;
    return number_view(*view);
  }

  std::string print(MessageNumber message) override {
    std::lock_guard lock(mutex_);
    return sim::describe(entry_, messages_[message]);
  }

  std::string difference(PeerNumber before, PeerNumber after) override {
    std::lock_guard lock(mutex_);
    auto old = fields(peers_[before].participant);
    auto now = fields(peers_[after].participant);
    std::string text;
    for (const auto& [name, value] : now) {
      if (old[name] == value) continue;
      if (!text.empty()) text += ", ";
      text += name + " ";
      text += old[name].empty() ? "-" : old[name];
      text += " -> " + value;
    }
    return text;
  }

 private:
  static constexpr std::uint32_t peers_limit = 1 << 24;
  static constexpr std::uint32_t messages_limit = 1 << 24;
  static constexpr std::uint32_t views_limit = 1 << 16;

  static std::uint32_t limited(std::uint32_t number, std::uint32_t limit, const char* what) {
    if (number < limit) return number;
    throw std::length_error("more than " + std::to_string(limit) + " different " + what);
  }

  PeerNumber number(const Peer& peer) {
    PeerNumber number = limited(peers_.number(peer), peers_limit, "peers");
    if (number == facts_.size()) facts_.push_back(facts_of(peer));
    return number;
  }
  ViewNumber number_view(const View& view) {
    return limited(views_.number(view), views_limit, "views");
  }

  Facts facts_of(const Peer& peer) {
    const ViewProtocol& participant = peer.participant;
    Facts facts;
    facts.stage = participant.stage();
    facts.doing = participant.doing(the_lock);
    facts.epoch = participant.epoch();
    facts.decides = participant.decides();
    bool takes_requests = facts.stage == ViewStage::greeting || facts.stage == ViewStage::working ||
                          facts.stage == ViewStage::frozen;
    facts.may_request = takes_requests && facts.doing == Doing::nothing && !peer.will_leave &&
                        peer.requests_left > 0;
    facts.seen = peer.seen;
    if (auto lock = participant.locks().find(the_lock); lock != participant.locks().end()) {
      recovery::LockReport report = lock->second.report({});
      if (report.held) facts.held = report.held->fence;
      if (report.copy) facts.copy = Fence(report.copy->size);
    }
    for (const auto& [timer, epoch] : peer.armed) facts.armed |= 1U << static_cast<unsigned>(timer);
    facts.early = participant.early();
    if (auto view = participant.eviction()) facts.eviction = number_view(*view);
    return facts;
  }

  recovery::RegisterSnapshot snapshot(ViewNumber number, InstanceSet ended) const {
    recovery::RegisterSnapshot snapshot{views_[number], {}};
    for (InstanceNumber slot = 0; slot < setting_.slots(); ++slot)
      if ((ended >> slot & 1) != 0) snapshot.ended.push_back(setting_.life(slot));
    return snapshot;
  }

  InputOutcome compute(PeerNumber before, const PackedInput& input) {
    Peer peer = peers_[before];
    Orders out;
    InputOutcome outcome;
    outcome.next = before;
    InvariantWatch watch;
    try {
      perform(peer, input, out);
    } catch (const BrokenInvariant& broken) {
      outcome.broken = broken.what();
      return outcome;
    }
    for (const auto& send : out.sends)
      outcome.sent.push_back({setting_.slot(send.to),
                              limited(messages_.number(send.message), messages_limit, "messages")});
    for (const recovery::MemberEvent& event : out.events)
      std::visit([&](const auto& chosen) { take_note(peer, chosen, outcome); }, event);
    forget_timers(peer);
    outcome.next = number(peer);
    return outcome;
  }

  void perform(Peer& peer, const PackedInput& input, Orders& out) {
    ViewProtocol& participant = peer.participant;
    switch (input.kind) {
      case InputKind::request: --peer.requests_left; return participant.request(the_lock, {}, out);
      case InputKind::release: {
        Fence fence = participant.locks().at(the_lock).report({}).held->fence;
        DataRef found = std::exchange(peer.found, DataRef{});
        peer.seen = std::max(peer.seen, fence);
        return participant.release(the_lock,
                                   {found.version + 1, fence.number(), participant.self().id}, out);
      }
      case InputKind::cancel: return participant.cancel(the_lock, out);
      case InputKind::receive:
        return participant.receive(setting_.life(input.from), messages_[input.argument], out);
      case InputKind::learn:
        return participant.learn(snapshot(input.argument >> 16, input.argument & 0xffff), out);
      case InputKind::timer: {
        TimerId timer{static_cast<std::uint8_t>(input.argument)};
        Epoch epoch = peer.armed.at(timer);
        peer.armed.erase(timer);
        return participant.timer(the_lock, epoch, timer, out);
      }
      case InputKind::lapse: return participant.lapse(out);
      case InputKind::fetch: return participant.copied(the_lock, peer.found, out);
      case InputKind::will_leave: peer.will_leave = true; return;
    }
  }

  void take_note(Peer& peer, const recovery::Granted& granted, InputOutcome& outcome) {
    outcome.grants.push_back({granted.baton, granted.rolled_back});
    peer.found = granted.baton.data;
    peer.seen = std::max(peer.seen, outcome.grants.back().write());
  }
  void take_note(Peer& peer, const recovery::DataMoved& moved, InputOutcome&) {
    peer.found = moved.data;
  }
  void take_note(Peer&, const recovery::Withdrew&, InputOutcome& outcome) {
    outcome.withdrew = true;
  }
  void take_note(Peer& peer, const recovery::LockLost&, InputOutcome& outcome) {
    outcome.lost = true;
    peer.found = {};
  }
  void take_note(Peer&, const recovery::Admitted&, InputOutcome& outcome) {
    outcome.admitted = true;
  }
  void take_note(Peer&, const recovery::Expelled&, InputOutcome&) {}
  void take_note(Peer&, const recovery::Opened&, InputOutcome&) {}
  void take_note(Peer&, const recovery::JoinRefused&, InputOutcome&) {}
  void take_note(Peer&, const recovery::Departed&, InputOutcome& outcome) {
    outcome.departed = true;
  }
  void take_note(Peer& peer, const recovery::LockArmed& armed, InputOutcome&) {
    peer.armed.insert_or_assign(armed.armed.timer, armed.epoch);
  }
  void take_note(Peer& peer, const recovery::LockDisarmed& disarmed, InputOutcome&) {
    peer.armed.erase(disarmed.timer);
  }
  /// Drops timers of an earlier epoch's value. They would do nothing when they fire.
  void forget_timers(Peer& peer) {
    auto lock = peer.participant.locks().find(the_lock);
    bool lives = lock != peer.participant.locks().end() && lock->second.value();
    std::erase_if(peer.armed,
                  [&](const auto& each) { return !lives || each.second != lock->second.epoch(); });
  }

  /// Lists the view protocol's state and, if its lock has a value, the fields of that value.
  std::map<std::string, std::string> fields(const ViewProtocol& participant) const {
    std::map<std::string, std::string> list;
    auto lock = participant.locks().find(the_lock);
    if (lock != participant.locks().end() && lock->second.value())
      list = sim::fields_of(entry_, lock->second.value());
    list["stage"] = word(participant.stage());
    list["epoch"] = std::to_string(participant.epoch().value);
    list["view"] = std::to_string(participant.view().number);
    list["early"] = std::to_string(participant.early());
    list["process"] = word(participant.doing(the_lock));
    return list;
  }

  const CatalogEntry& entry_;
  Setting setting_;
  std::mutex mutex_;
  Numbering<Peer> peers_{memory()};
  Blocks<Facts> facts_{memory()};
  Numbering<Message> messages_{memory()};
  Numbering<View> views_{memory()};
  Blocks<InputOutcome> outcomes_{memory()};
  KnownOutcomes<InputOutcome> known_{memory()};
};

}  // namespace

std::unique_ptr<Model> make_model(const CatalogEntry& entry, const Setting& setting,
                                  std::size_t bytes_max) {
  if (!entry.about.is_sound()) return nullptr;
  return std::make_unique<GroupModel>(entry, setting, bytes_max);
}

}  // namespace conch::check::group
