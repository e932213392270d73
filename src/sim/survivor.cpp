#include "sim/survivor.hpp"

#include "catalog/classes.hpp"
#include "catalog/stewards.hpp"
#include "recovery/describe.hpp"

namespace conch::sim {

namespace {

using namespace recovery;

template <Exclusive A>
class SurvivorOf final : public Survivor {
 public:
  SurvivorOf(const CatalogEntry& entry, const SurvivorTraits& traits)
      : traced_(traits.traced),
        steward_(traits.self,
                 {std::string(entry.about.name), entry.tuned(traits.tuning), traits.without,
                  traits.entries_max},
                 traits.lease) {}

  Wanted start(Time now) override {
    return call(now, [&](auto& out) { steward_.start(out); });
  }
  Wanted tick(Time now) override {
    return call(now, [&](auto& out) { steward_.tick(out); });
  }
  Wanted answered(Time now, const Answer& answer) override {
    return call(now, [&](auto& out) { steward_.answered(answer, out); });
  }
  Wanted watched(Time now) override {
    return call(now, [&](auto& out) { steward_.watched(out); });
  }
  Wanted receive(Time now, const Life& from, const Parcel& parcel) override {
    const auto& message = *static_cast<const Message<A>*>(parcel.message.get());
    return call(now, [&](auto& out) { steward_.receive(from, message, out); });
  }
  Wanted timer(Time now, const LockArmed& armed) override {
    return call(
        now, [&](auto& out) { steward_.timer(armed.lock, armed.epoch, armed.armed.timer, out); });
  }
  Wanted silent(Time now, const Life& life, Duration unacknowledged) override {
    return call(now, [&](auto& out) { steward_.silent(life, unacknowledged, out); });
  }
  Wanted suspect(Time now, const Life& life) override {
    return call(now, [&](auto& out) { steward_.suspect(life, out); });
  }
  Wanted request(Time now, const std::string& lock, const Wish& wish) override {
    return call(now, [&](auto& out) { steward_.request(lock, wish, out); });
  }
  Wanted cancel(Time now, const std::string& lock) override {
    return call(now, [&](auto& out) { steward_.cancel(lock, out); });
  }
  Wanted release(Time now, const std::string& lock, const DataRef& data) override {
    return call(now, [&](auto& out) { steward_.release(lock, data, out); });
  }
  Wanted copied(Time now, const std::string& lock, const DataRef& data) override {
    return call(now, [&](auto& out) { steward_.copied(lock, data, out); });
  }
  Wanted evict(Time now, const std::set<Life>& those) override {
    return call(now, [&](auto& out) { steward_.evict(those, out); });
  }
  Wanted relabel(Time now, const std::map<NodeId, std::string>& labels) override {
    return call(now, [&](auto& out) { steward_.relabel(labels, out); });
  }
  Wanted force_open(Time now, const std::string& lock) override {
    return call(now, [&](auto& out) { steward_.force_open(lock, out); });
  }
  Wanted leave(Time now) override {
    return call(now, [&](auto& out) { steward_.leave(out); });
  }

  Wanted delay_locks(Time now, Duration lock_delay) override {
    return call(now, [&](auto& out) { steward_.delay_locks(lock_delay, out); });
  }
  void hold_fast(bool holds) override { steward_.hold_fast(holds); }

  std::size_t forget_idle() override { return steward_.forget_idle(); }

  Time wakes() const override { return steward_.wakes(); }
  bool has_lease(Time now) const override { return steward_.tenure().holds(now); }
  std::optional<Time> lease_until() const override { return steward_.tenure().until(); }
  Stage stage() const override { return participant().stage(); }
  const View& view() const override { return participant().view(); }
  Epoch epoch() const override { return participant().epoch(); }
  Doing doing(const std::string& lock) const override { return participant().doing(lock); }
  bool is_worn() const override { return participant().is_worn(); }
  std::size_t early() const override { return participant().early(); }

 private:
  const Participant<A>& participant() const { return steward_.participant(); }

  template <class Call>
  Wanted call(Time now, Call&& run) {
    StewardOrders<A> out(now);
    run(out);
    Wanted wanted{{}, std::move(out.asks()), std::move(out.events())};
    for (auto& send : out.sends())
      wanted.dispatches.push_back({send.to, pack(std::move(send.message))});
    return wanted;
  }
  std::shared_ptr<const Parcel> pack(Message<A> message) const {
    Parcel parcel;
    if (const auto* told = std::get_if<Told<A>>(&message)) {
      parcel.epoch = told->epoch;
      if constexpr (TokenBased<A>)
        parcel.token = told->message && std::holds_alternative<typename A::Token>(*told->message);
    }
    if (traced_) parcel.text = describe<A>(message);
    parcel.message = std::make_shared<const Message<A>>(std::move(message));
    return std::make_shared<const Parcel>(std::move(parcel));
  }

  bool traced_;
  Steward<A> steward_;
};

}  // namespace

std::unique_ptr<Survivor> make_survivor(const CatalogEntry& entry, const SurvivorTraits& traits) {
  return with_real_algorithm(entry,
                             [&]<class A>(std::type_identity<A>) -> std::unique_ptr<Survivor> {
                               return std::make_unique<SurvivorOf<A>>(entry, traits);
                             });
}

}  // namespace conch::sim
