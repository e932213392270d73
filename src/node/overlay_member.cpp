#include "node/overlay_member.hpp"

#include <algorithm>
#include <conch/error.hpp>
#include <map>
#include <ranges>
#include <utility>

#include "core/encode.hpp"
#include "core/random.hpp"
#include "node/freshness.hpp"
#include "node/names.hpp"
#include "node/talk.hpp"
#include "node/timers.hpp"
#include "overlay/chord.hpp"
#include "overlay/end_to_end.hpp"
#include "overlay/non_end_to_end.hpp"
#include "overlay/pastry.hpp"
#include "overlay/routed_locks.hpp"
#include "overlay/sigma.hpp"

namespace conch::node {

namespace {

using namespace recovery;

/// A peer whose channel has been silent for so long is forgotten. Until then the channel keeps what
/// was not acknowledged, and so recovers by itself when a partition heals.
constexpr Duration forgotten_after = std::chrono::minutes(10);

/// A peer that does not acknowledge for so long is suspected.
Duration suspected_after(Duration lease) { return lease / 2; }
/// An older message is ignored: leases may have run out since it was sent.
Duration expires_after(Duration lease) { return lease / 2; }
/// How late a timer may fire without harm: the replicas' margin over the holders' lease is larger.
Duration tolerated_delay(Duration lease) { return lease / 16; }

Replication terms_for(const OverlayGroupSettings& overlay_settings) {
  Replication terms;
  terms.replicas = overlay_settings.replicas;
  terms.lease = overlay_settings.lease;
  return terms;
}

template <class P, class O>
class OverlayMember final : public GroupMember {
 public:
  explicit OverlayMember(const OverlayTraits& traits)
      : self_(traits.self),
        lease_(traits.overlay_settings.lease),
        contacts_(traits.contacts),
        locks_(self_.id, terms_for(traits.overlay_settings),
               O(self_.id, overlay::upkeep_for(lease_)), traits.clock),
        freshness_(lease_),
        random_(traits.seed) {
    view_.algorithm = text_of(traits.overlay_settings);
    view_.epoch = Epoch{1};  // The only epoch.
    book_.learn({self_.life(), self_.address});
    see_neighbours();
  }

  void start(Effects& out) override {
    for (const Introduction& contact : contacts_) meet(contact, out);
    call(out, [&](auto& own) {
      locks_.start(own);
      // The contact that is given last is asked first.
      for (const Introduction& each : std::views::reverse(contacts_))
        locks_.join(each.life.id, own);
      if (contacts_.empty()) own.add(Joined{});
    });
  }
  void tick(Effects& out) override {
    while (auto due = timers_.take(out.now()))
      call(out, [&](auto& own) { locks_.timer(due->lock, due->timer, own); });
  }
  Intake receive(const PeerInstance& from, std::string_view payload, Effects& out) override {
    Decoder decoder(payload);
    Letter letter;
    if (!decoder.decode(letter) || !decoder.finish()) return {decoder.error(), false, {}};
    tick(out);  // Timers that are due come before this message.
    for (const Introduction& introduction : letter.introductions) meet(introduction, out);
    if (!is_newest(from)) return {};
    suspected_.erase(from);
    std::optional<Duration> age = freshness_.age(from, letter.mark, out.now());
    return std::visit(
        [&](auto& message) { return take(from, message, age.value_or(Duration{}), out); },
        letter.message);
  }
  void silent(const PeerInstance& life, Duration unacknowledged, Effects& out) override {
    if (unacknowledged > forgotten_after) return forget(life, out);
    if (unacknowledged < suspected_after(lease_)) return;
    auto [place, fresh] = suspected_.try_emplace(life, out.now());
    if (!fresh && out.now() - place->second < lease_) return;
    place->second = out.now();
    suspect(life, out);
  }
  void suspect(const PeerInstance& life, Effects& out) override {
    tick(out);
    if (is_newest(life)) call(out, [&](auto& own) { locks_.suspect(life.id, own); });
  }

  bool request(const std::string& lock, const Wish&, Effects& out) override {
    return call(out, [&](auto& own) { return locks_.request(lock, own); });
  }
  bool cancel(const std::string& lock, Effects& out) override {
    return call(out, [&](auto& own) { return locks_.cancel(lock, own); });
  }
  bool release(const std::string& lock, const DataRef& data, Effects& out) override {
    return call(out, [&](auto& own) { return locks_.release(lock, data, own); });
  }
  void leave(Effects& out) override {
    stage_ = ViewStage::leaving;
    call(out, [&](auto& own) { locks_.leave(own); });
  }
  std::size_t forget_idle(Time now) override { return locks_.forget_idle(now); }

  bool has_roster() const override { return false; }
  Time wakes() const override { return timers_.next(); }
  /// Each lock has its own lease. A peer that was stopped does not know yet which locks it has
  /// lost.
  bool has_lease(Time now) const override { return timers_.next() > now - tolerated_delay(lease_); }
  ViewStage stage() const override { return stage_; }
  const View& view() const override { return view_; }
  std::vector<LockReport> reports(Time now) const override {
    std::vector<LockReport> reports;
    for (const auto& [name, lock] : locks_.locks()) {
      LockReport report;
      report.lock = name;
      if (lock.position == Locks::Position::inside) report.held = HoldReport{{}, lock.fence};
      if (lock.position == Locks::Position::asked) report.waits = WaitReport{{}, now - lock.since};
      reports.push_back(std::move(report));
    }
    return reports;
  }

 private:
  using Locks = overlay::RoutedLocks<P, O>;
  using Out = typename Locks::Out;
  struct Letter {
    std::vector<Introduction> introductions;
    Postmark mark;
    typename Locks::Message message;
    CONCH_FIELDS(Letter, introductions, mark, message)
  };

  // Messages.

  template <class M>
  Intake take(const PeerInstance& from, M& message, Duration age, Effects& out) {
    constexpr bool of_lock = requires { message.lock; };
    Intake intake;
    if constexpr (of_lock) {
      intake.lock = message.lock;
      intake.type = name_of(message.message);
      if (std::string why = fault_of(message); !why.empty()) return intake.fault = why, intake;
      if constexpr (requires { message.age; }) age = message.age += age;
      if (age > expires_after(lease_)) return intake;
    } else {
      intake.type = name_of(typename O::Message(message));
    }
    try {
      InvariantWatch watch;
      call(out, [&](auto& own) { locks_.receive(from.id, message, own); });
    } catch (const BrokenInvariant& broken) {
      intake.fault = broken.what();
      intake.fatal = !of_lock;
      if constexpr (of_lock) call(out, [&](auto& own) { locks_.begin_anew(message.lock, own); });
    }
    return intake;
  }
  template <class M>
  std::string fault_of(const M& message) const {
    try {
      check_lock_name(message.lock);
    } catch (const Error& error) {
      return error.what();
    }
    return locks_.makes_sense(message) ? "" : "a lock has no such replica";
  }

  // Other peers.

  void meet(const Introduction& met, Effects& out) {
    if (met.life.id == self_.id || met.address.empty() || !book_.learn(met)) return;
    out.introductions.push_back(met);
    seen_.reset();
    see_neighbours();
  }
  bool is_newest(const PeerInstance& life) {
    const Introduction* known = book_.find(life.id);
    if (!known) return seen_.reset(), book_.learn({life, ""});
    return known->life.incarnation <= life.incarnation;
  }
  void forget(const PeerInstance& life, Effects& out) {
    suspected_.erase(life);
    freshness_.forget(life);
    book_.forget(life);
    seen_.reset();
    out.forgotten.push_back(life);
  }
  /// The view: the overlay's neighbours whose addresses are known.
  void see_neighbours() {
    std::vector<NodeId> neighbours = locks_.overlay().neighbours();
    if (neighbours == seen_) return;
    std::vector<Member> members{self_};
    for (NodeId node : neighbours)
      if (const Introduction* met = book_.find(node))
        members.push_back({node, met->life.incarnation, met->address});
    seen_ = std::move(neighbours);
    Roster roster(std::move(members));
    if (roster == view_.roster) return;
    view_.roster = std::move(roster);
    ++view_.number;
  }

  // Effects.

  template <class Call>
  auto call(Effects& out, Call&& run) {
    Out own{.now = out.now(), .sends = {}, .effects = {}};
    if constexpr (std::is_void_v<decltype(run(own))>) {
      run(own);
      pass_on(own, out);
    } else {
      auto result = run(own);
      pass_on(own, out);
      return result;
    }
  }
  void pass_on(Out& own, Effects& out) {
    // A message that cannot be sent takes another route. This ends, because the overlay counts
    // on one node fewer each time.
    for (std::size_t i = 0; i < own.sends.size(); ++i) {
      auto [to, message] = std::move(own.sends[i]);
      const Introduction* met = book_.find(to);
      if (met && !withholds(met->life, message, own.now))
        pack(met->life, std::move(message), out);
      else
        locks_.undelivered(to, message, own);
    }
    for (auto& [lock, effect] : own.effects)
      std::visit([&, &lock = lock](auto& chosen) { happen(lock, chosen, out); }, effect);
    see_neighbours();
  }
  /// A message that is not sent is certainly not delivered, and nobody has to wait for a lease to
  /// find out. So a token goes past silent peers, while the overlay goes on asking them.
  bool withholds(const PeerInstance& to, const typename Locks::Message& message, Time now) const {
    if (!std::holds_alternative<typename Locks::Direct>(message)) return false;
    auto found = suspected_.find(to);
    return found != suspected_.end() && now - found->second < 2 * lease_;
  }
  void pack(const PeerInstance& to, typename Locks::Message message, Effects& out) {
    std::size_t begin = out.bytes.size();
    put_kind(PayloadKind::overlay, out.bytes);
    Letter letter{book_.introductions(to, self_.id, message), freshness_.stamp(to, out.now()),
                  std::move(message)};
    encode(out.bytes, letter);
    Effects::OutgoingMessage outgoing_message{to, begin, out.bytes.size() - begin, {}};
    std::visit(
        [&](auto& m) {
          if constexpr (requires { m.lock; }) {
            outgoing_message.type = name_of(m.message);
            outgoing_message.lock = std::move(m.lock);
          } else {
            outgoing_message.type = name_of(typename O::Message(m));
          }
        },
        letter.message);
    out.outgoing.push_back(std::move(outgoing_message));
  }

  void happen(std::string& lock, const conch::Entered& entered, Effects& out) {
    out.tell(Granted{std::move(lock), entered.baton});
  }
  void happen(std::string& lock, const Withdrawn&, Effects& out) {
    out.tell(Withdrew{std::move(lock)});
  }
  void happen(std::string& lock, const Forfeited&, Effects& out) {
    out.tell(LockLost{std::move(lock)});
  }
  void happen(std::string&, const Joined&, Effects& out) {
    stage_ = ViewStage::working;
    out.tell(Admitted{});
  }
  void happen(std::string&, const Left&, Effects& out) {
    stage_ = ViewStage::out;
    out.tell(Departed{});
  }
  void happen(std::string& lock, const Armed& armed, Effects& out) {
    auto span = static_cast<std::uint64_t>((armed.max - armed.min).count()) + 1;
    Duration delay = armed.min + Duration(static_cast<Duration::rep>(random_.below(span)));
    timers_.arm(lock, armed.timer, Epoch{}, out.now() + delay);
  }
  void happen(std::string& lock, const Disarmed& disarmed, Effects&) {
    timers_.disarm(lock, disarmed.timer);
  }

  Member self_;
  Duration lease_;
  std::vector<Introduction> contacts_;
  Locks locks_;
  AddressBook book_;
  Freshness freshness_;
  Timers timers_;
  Random random_;
  View view_;
  /// The neighbours that the view was made of; empty once a peer was met or forgotten.
  std::optional<std::vector<NodeId>> seen_;
  ViewStage stage_ = ViewStage::outside;
  /// The suspected lives, and since when; renewed while the silence lasts.
  std::map<PeerInstance, Time> suspected_;
};

template <class P>
std::unique_ptr<GroupMember> make_over(const OverlayTraits& traits) {
  if (traits.overlay_settings.dht == "chord")
    return std::make_unique<OverlayMember<P, overlay::Chord>>(traits);
  return std::make_unique<OverlayMember<P, overlay::Pastry>>(traits);
}

}  // namespace

std::unique_ptr<GroupMember> make_overlay_member(const OverlayTraits& traits) {
  const std::string& algorithm = traits.overlay_settings.algorithm;
  if (algorithm == overlay::Sigma::about.name) return make_over<overlay::Sigma>(traits);
  if (algorithm == overlay::NonEndToEnd::about.name) return make_over<overlay::NonEndToEnd>(traits);
  CONCH_EXPECT(algorithm == overlay::EndToEnd::about.name, "find_routed knows the algorithm");
  return make_over<overlay::EndToEnd>(traits);
}

}  // namespace conch::node
