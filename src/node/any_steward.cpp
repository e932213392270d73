#include "node/any_steward.hpp"

#include "catalog/real_algorithms.hpp"
#include "core/encode.hpp"
#include "core/print.hpp"
#include "node/talk.hpp"

namespace conch::node {

/// Weak, so that a test can be a build without one of the rules.
[[gnu::weak]] recovery::Rule rule_left_out() { return recovery::Rule::none; }

namespace {

using namespace recovery;

std::string_view type_of(const Message& message) {
  const auto* told = std::get_if<Told>(&message);
  if (!told) return name_of(message);
  return told->message ? told->message->type : "USED";
}

Charter charter_of(const CatalogEntry& entry, const StewardTraits& traits) {
  Charter charter{std::string(entry.about.name), &algorithm_of(entry), entry.tuned(traits.tuning)};
  charter.tuning.eps = entry.about.has_eps ? traits.eps.value_or(default_eps) : 0;
  charter.insists_on_eps = traits.eps.has_value();
  charter.without = traits.without;
  charter.entries_max = traits.entries_max.value_or(charter.entries_max);
  return charter;
}

/// Takes part in a group that has a register.
class RegisteredSteward final : public AnySteward {
 public:
  RegisteredSteward(const CatalogEntry& entry, const StewardTraits& traits)
      : algorithm_(algorithm_of(entry)),
        steward_(traits.self, charter_of(entry, traits), traits.lease),
        new_copies_(traits.new_copies) {}

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
    if (std::string fault = read(payload, algorithm_, message_); !fault.empty())
      return {std::move(fault), false, {}};
    auto* told = std::get_if<Told>(&message_);
    if (!told) tell_copies(now, out);
    try {
      InvariantWatch watch;
      call(now, out, [&](auto& own) { steward_.receive(from, message_, own); });
    } catch (const BrokenInvariant& broken) {
      return {broken.what(), true, {}};
    }
    return {"", false, told ? std::optional(std::move(told->lock)) : std::nullopt,
            type_of(message_)};
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
  bool holds_fast() const override { return part().holds_fast(); }
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
  const Participant* participant() const override { return &steward_.participant(); }

  bool has_roster() const override { return true; }
  Time wakes() const override { return steward_.wakes(); }
  bool has_lease(Time now) const override { return steward_.tenure().holds(now); }
  std::optional<Time> lease_until() const override { return steward_.tenure().until(); }
  Stage stage() const override { return part().stage(); }
  const View& view() const override { return part().view(); }
  std::vector<NodeId> dead() const override { return part().dead(); }
  Epoch epoch() const override { return part().epoch(); }
  std::vector<LockReport> reports(Time now) const override {
    std::vector<LockReport> reports;
    for (const auto& [name, lock] : part().locks()) reports.push_back(lock.report(now));
    return reports;
  }
  bool has_token(const std::string& lock) const override {
    const Value* value = find_value(lock);
    return value && (*value)->holds_token();
  }
  bool may_be_wanted(const std::string& lock) const override {
    const Value* value = find_value(lock);
    return !value || (*value)->may_be_wanted();
  }
  DataRef known_data(const std::string& lock) const override {
    auto found = part().locks().find(lock);
    return found == part().locks().end() ? DataRef{} : found->second.status().newest.data;
  }

 private:
  const Participant& part() const { return steward_.participant(); }
  /// None while a recovery is under way.
  const Value* find_value(const std::string& lock) const {
    auto found = part().locks().find(lock);
    bool has_value = found != part().locks().end() && found->second.value();
    return has_value ? &found->second.value() : nullptr;
  }

  /// It may say what is here.
  template <class Call>
  void call_and_report(Time now, Effects& out, Call&& run) {
    tell_copies(now, out);
    call(now, out, run);
  }
  void tell_copies(Time now, Effects& out) {
    for (const Copy& copy : new_copies_()) copied(now, copy.lock, copy.data, out);
  }
  template <class Call>
  std::invoke_result_t<Call, StewardOrders&> call(Time now, Effects& out, Call&& run) {
    orders_.restart(now);
    if constexpr (std::is_void_v<std::invoke_result_t<Call, StewardOrders&>>) {
      run(orders_);
      pass_on(orders_, out);
    } else {
      auto result = run(orders_);
      pass_on(orders_, out);
      return result;
    }
  }
  static void pass_on(StewardOrders& own, Effects& out) {
    for (auto& send : own.sends()) pack(send.to, send.message, out);
    std::move(own.asks().begin(), own.asks().end(), std::back_inserter(out.asks));
    std::move(own.events().begin(), own.events().end(), std::back_inserter(out.events));
  }
  static void pack(const Life& to, Message& message, Effects& out) {
    std::size_t begin = out.bytes.size();
    put_kind(PayloadKind::recovery, out.bytes);
    encode(out.bytes, message);
    Effects::Parcel parcel{to, begin, out.bytes.size() - begin, std::nullopt, type_of(message)};
    if (auto* told = std::get_if<Told>(&message)) {
      parcel.lock = std::move(told->lock);
      if (told->message) parcel.data = told->message->data;
    }
    out.parcels.push_back(std::move(parcel));
  }

  const AnyAlgorithm& algorithm_;
  Steward steward_;
  std::function<std::vector<Copy>()> new_copies_;
  // Used again, so that nothing is allocated.
  Message message_;
  StewardOrders orders_;
};

}  // namespace

std::unique_ptr<AnySteward> make_steward(const CatalogEntry& entry, const StewardTraits& traits) {
  return std::make_unique<RegisteredSteward>(entry, traits);
}

}  // namespace conch::node
