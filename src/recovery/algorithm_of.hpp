// One algorithm behind recovery's type-erased interface. It is compiled once per algorithm, so it
// is kept short.
#pragma once

#include <string>
#include <utility>

#include "core/hash.hpp"
#include "core/print.hpp"
#include "core/scratch.hpp"
#include "recovery/algorithm.hpp"
#include "recovery/knowledge.hpp"
#include "recovery/rehearsal.hpp"

namespace conch::recovery {

namespace detail {

template <Exclusive A>
void describe(const typename A::Message& message, Said& said) {
  said.type = name_of(message);
  if constexpr (TokenBased<A>) said.is_token = std::holds_alternative<typename A::Token>(message);
  Baton newest;
  find_newest(message, newest);
  said.data = newest.data;
}

template <Exclusive A>
void encode_sends(const OutboxOf<A>& own, SaidOutbox& out) {
  for (const auto& send : own.sends()) {
    Said said;
    encode(said.bytes, send.message);
    describe<A>(send.message, said);
    out.send(send.to, std::move(said));
  }
}

template <Exclusive A>
class ValueOf final : public AnyValue {
 public:
  explicit ValueOf(A value) : value_(std::move(value)) {}

  std::unique_ptr<AnyValue> copy() const override { return std::make_unique<ValueOf>(value_); }
  bool is_equal(const AnyValue& other) const override {
    return value_ == static_cast<const ValueOf&>(other).value_;
  }
  std::uint64_t hash() const override { return hash64(value_); }
  const void* object() const override { return &value_; }

  void apply(const Input& input, SaidOutbox& out) override {
    call(out, [&](OutboxOf<A>& own) { conch::apply(value_, input, own); });
  }
  void receive(NodeId from, const Said& message, SaidOutbox& out) override {
    typename A::Message read;
    CONCH_EXPECT(Decoder(message.bytes).decode(read), "only readable messages are passed on");
    call(out, [&](OutboxOf<A>& own) { deliver(value_, from, read, own); });
  }

  bool holds_token() const override {
    if constexpr (TokenBased<A>) return value_.holds_token();
    return false;
  }
  bool may_be_wanted() const override {
    if constexpr (Attentive<A>) return value_.may_be_wanted();
    return true;
  }
  Baton newest() const override {
    Baton newest;
    find_newest(value_, newest);
    return newest;
  }

 private:
  template <class Call>
  void call(SaidOutbox& out, Call&& run) {
    Scratch<OutboxOf<A>>::use([&](OutboxOf<A>& own) {
      own.clear();
      own.swap_effects(out);
      run(own);
      own.swap_effects(out);
      encode_sends<A>(own, out);
    });
  }

  A value_;
};

template <Exclusive A>
class AlgorithmOf final : public AnyAlgorithm {
 public:
  bool is_shared() const override { return Shared<A>; }
  bool is_dynamic() const override { return Dynamic<A>; }
  bool is_starting() const override { return Starting<A>; }

  Value make(NodeId self, const Assignment& start) const override { return value(A(self, start)); }
  RehearsedValue rehearse(NodeId self, const Assignment& start, std::span<const NodeClaim> holders,
                          std::span<const NodeClaim> waiters) const override {
    Rehearsed<A> played = recovery::rehearse<A>(self, start, holders, waiters);
    RehearsedValue part{value(std::move(played.value)), std::move(played.entered), {}};
    part.out.swap_effects(played.out);
    encode_sends<A>(played.out, part.out);
    return part;
  }
  std::string read(Said& message) const override {
    typename A::Message read;
    Decoder decoder(message.bytes);
    if (!decoder.decode(read) || !decoder.finish()) return decoder.error();
    describe<A>(read, message);
    return "";
  }

 private:
  static Value value(A value) { return Value(std::make_unique<ValueOf<A>>(std::move(value))); }
};

}  // namespace detail

template <Exclusive A>
const AnyAlgorithm& algorithm_of() {
  static const detail::AlgorithmOf<A> algorithm;
  return algorithm;
}

}  // namespace conch::recovery
