#include "peer/any_steward.hpp"

#include "catalog/classes.hpp"
#include "catalog/stewards.hpp"
#include "core/encode.hpp"
#include "peer/talk.hpp"
#include "recovery/knowledge.hpp"

namespace conch::peer {

/// Weak, so that a test can be a build without one of the rules.
[[gnu::weak]] recovery::Rule rule_left_out() { return recovery::Rule::none; }

namespace {

using namespace recovery;

template <Exclusive A>
std::string_view type_of(const Message<A>& message) {
  const auto* told = std::get_if<Told<A>>(&message);
  if (!told) return name_of(message);
  return told->message ? name_of(*told->message) : "USED";
}

Charter charter_of(const CatalogEntry& entry, std::optional<unsigned> eps) {
  Charter charter{std::string(entry.about.name), entry.tuned(Tuning{})};
  charter.tuning.eps = entry.about.has_eps ? eps.value_or(default_eps) : 0;
  charter.insists_on_eps = eps.has_value();
  charter.without = rule_left_out();
  return charter;
}

template <Exclusive A>
class StewardOf final : public AnySteward {
 public:
  StewardOf(const CatalogEntry& entry, const StewardTraits& traits)
      : steward_(traits.self, charter_of(entry, traits.eps), traits.lease),
        tell_copies_(traits.tell_copies) {}

  void start(Time now, Effects& out) override {
    call(now, out, [&](auto& own) { steward_.start(own); });
  }
  void tick(Time now, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.tick(own); });
  }
  void answered(Time now, const Answer& answer, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.answered(answer, own); });
  }
  void watched(Time now, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.watched(own); });
  }
  /// Members trust one another; but a message that none of ours would send at this moment ends this
  /// life, not the process.
  Intake receive(Time now, const Life& from, std::string_view payload, Effects& out) override {
    Decoder decoder(payload);
    if (!decoder.decode(message_) || !decoder.finish()) return {decoder.error(), false, {}};
    if (!std::holds_alternative<Told<A>>(message_)) tell_copies_(*this, now, out);
    try {
      InvariantWatch watch;
      call(now, out, [&](auto& own) { steward_.receive(from, message_, own); });
    } catch (const BrokenInvariant& broken) {
      return {broken.what(), true, {}};
    }
    auto* told = std::get_if<Told<A>>(&message_);
    return {"", false, told ? std::optional(std::move(told->lock)) : std::nullopt,
            type_of<A>(message_)};
  }
  void timer(Time now, const std::string& lock, Epoch epoch, TimerId timer, Effects& out) override {
    call(now, out, [&](auto& own) { steward_.timer(lock, epoch, timer, own); });
  }
  void silent(Time now, const Life& life, Duration unacknowledged, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.silent(life, unacknowledged, own); });
  }
  void suspect(Time now, const Life& life, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.suspect(life, own); });
  }
  void evict(Time now, std::set<Life> those, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.evict(std::move(those), own); });
  }
  void relabel(Time now, const std::map<NodeId, std::string>& labels, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.relabel(labels, own); });
  }
  void force_open(Time now, const std::string& lock, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.force_open(lock, own); });
  }
  void delay_locks(Time now, Duration lock_delay, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.delay_locks(lock_delay, own); });
  }
  Duration recorded_lock_delay() const override { return steward_.recorded_lock_delay(); }
  void hold_fast(bool holds) override { steward_.hold_fast(holds); }
  bool holds_fast() const override { return participant().holds_fast(); }
  bool request(Time now, const std::string& lock, Mode mode, Effects& out) override {
    return call(now, out, [&](auto& own) { return steward_.request(lock, Wish{mode, {}}, own); });
  }
  bool cancel(Time now, const std::string& lock, Effects& out) override {
    return call(now, out, [&](auto& own) { return steward_.cancel(lock, own); });
  }
  bool release(Time now, const std::string& lock, const DataRef& data, Effects& out) override {
    return call(now, out, [&](auto& own) { return steward_.release(lock, data, own); });
  }
  bool copied(Time now, const std::string& lock, const DataRef& data, Effects& out) override {
    return call(now, out, [&](auto& own) { return steward_.copied(lock, data, own); });
  }
  void leave(Time now, Effects& out) override {
    call_and_report(now, out, [&](auto& own) { steward_.leave(own); });
  }

  std::size_t forget_idle() override { return steward_.forget_idle(); }

  bool has_roster() const override { return true; }
  Time wakes() const override { return steward_.wakes(); }
  bool has_lease(Time now) const override { return steward_.tenure().holds(now); }
  std::optional<Time> lease_until() const override { return steward_.tenure().until(); }
  Stage stage() const override { return participant().stage(); }
  const View& view() const override { return participant().view(); }
  std::vector<NodeId> dead() const override { return participant().dead(); }
  Epoch epoch() const override { return participant().epoch(); }
  std::vector<LockReport> reports(Time now) const override {
    std::vector<LockReport> reports;
    for (const auto& [name, lock] : participant().locks()) reports.push_back(lock.report(now));
    return reports;
  }
  bool has_token(const std::string& lock) const override {
    if constexpr (TokenBased<A>) {
      const A* value = find_value(lock);
      return value && value->holds_token();
    }
    return false;
  }
  bool may_be_wanted(const std::string& lock) const override {
    if constexpr (Attentive<A>) {
      const A* value = find_value(lock);
      return !value || value->may_be_wanted();
    }
    return true;
  }
  DataRef known_data(const std::string& lock) const override {
    auto found = participant().locks().find(lock);
    return found == participant().locks().end() ? DataRef{} : found->second.status().newest.data;
  }

 private:
  const Participant<A>& participant() const { return steward_.participant(); }
  /// None while a recovery is under way.
  const A* find_value(const std::string& lock) const {
    auto found = participant().locks().find(lock);
    bool has_value = found != participant().locks().end() && found->second.value();
    return has_value ? &*found->second.value() : nullptr;
  }

  /// It may say what is here.
  template <class Call>
  void call_and_report(Time now, Effects& out, Call&& run) {
    tell_copies_(*this, now, out);
    call(now, out, run);
  }
  template <class Call>
  auto call(Time now, Effects& out, Call&& run) {
    orders_.restart(now);
    if constexpr (std::is_void_v<decltype(run(orders_))>) {
      run(orders_);
      pass_on(orders_, out);
    } else {
      auto result = run(orders_);
      pass_on(orders_, out);
      return result;
    }
  }
  static void pass_on(StewardOrders<A>& own, Effects& out) {
    for (auto& send : own.sends()) pack(send.to, send.message, out);
    std::move(own.asks().begin(), own.asks().end(), std::back_inserter(out.asks));
    std::move(own.events().begin(), own.events().end(), std::back_inserter(out.events));
  }
  static void pack(const Life& to, Message<A>& message, Effects& out) {
    std::size_t begin = out.bytes.size();
    put_kind(PayloadKind::recovery, out.bytes);
    encode(out.bytes, message);
    Effects::Parcel parcel{to, begin, out.bytes.size() - begin, std::nullopt, type_of<A>(message)};
    if (auto* told = std::get_if<Told<A>>(&message)) {
      parcel.lock = std::move(told->lock);
      Baton newest;
      find_newest(told->message, newest);
      parcel.data = newest.data;
    }
    out.parcels.push_back(std::move(parcel));
  }

  Steward<A> steward_;
  std::function<void(AnySteward&, Time, Effects&)> tell_copies_;
  // Used again, so that nothing is allocated.
  Message<A> message_;
  StewardOrders<A> orders_;
};

}  // namespace

std::unique_ptr<AnySteward> make_steward(const CatalogEntry& entry, const StewardTraits& traits) {
  return with_real_algorithm(entry,
                             [&]<class A>(std::type_identity<A>) -> std::unique_ptr<AnySteward> {
                               return std::make_unique<StewardOf<A>>(entry, traits);
                             });
}

}  // namespace conch::peer
