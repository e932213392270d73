// The algorithm that a group runs, whichever it is, and the values of it that play its locks. What
// recovers them is compiled once, and passes their messages on as bytes, which only values read.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/contract.hpp"
#include "core/encode.hpp"
#include "core/input.hpp"

namespace conch::recovery {

/// Somebody holds a lock, or waits for it.
struct Claim {
  NodeId node;
  Wish wish;
  CONCH_FIELDS(Claim, node, wish)
};

/// A message of an algorithm.
struct Said : Encoded {
  // What is known of it without reading it, and not sent along.
  std::string_view type = {};
  bool is_token = false;
  /// The newest data of the lock that it speaks of; those of version 0 if of none.
  DataRef data = {};
};

using SaidOutbox = Outbox<Said>;

/// One lock at one node; see core/contract.hpp. What its algorithm cannot do is never asked of it.
class AnyValue {
 public:
  virtual ~AnyValue() = default;
  virtual std::unique_ptr<AnyValue> copy() const = 0;
  /// The other one must be of the same algorithm.
  virtual bool is_equal(const AnyValue& other) const = 0;
  virtual std::uint64_t hash() const = 0;
  /// Points to the object of the algorithm's class.
  virtual const void* object() const = 0;

  virtual void apply(const Input& input, SaidOutbox& out) = 0;
  /// The message has passed AnyAlgorithm::read, or was sent by a value.
  virtual void receive(NodeId from, const Said& message, SaidOutbox& out) = 0;

  virtual bool holds_token() const = 0;
  /// For one that is inside: false if it knows that nobody waits.
  virtual bool may_be_wanted() const = 0;
  /// The newest of the batons that it contains.
  virtual Baton newest() const = 0;
};

/// A value, or none. A copy is another value.
class Value {
 public:
  Value() = default;
  explicit Value(std::unique_ptr<AnyValue> value) : value_(std::move(value)) {}
  Value(const Value& other) : value_(other ? other->copy() : nullptr) {}
  Value(Value&&) = default;
  Value& operator=(Value other) {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Value() = default;

  explicit operator bool() const { return value_ != nullptr; }
  AnyValue* operator->() { return value_.get(); }
  const AnyValue* operator->() const { return value_.get(); }
  void reset() { value_.reset(); }

  friend bool operator==(const Value& a, const Value& b) {
    return a && b ? a->is_equal(*b.value_) : !a && !b;
  }
  static constexpr std::string_view type_name = "Value";
  template <class Visitor>
  static void visit_fields(const Value& self, Visitor&& visitor) {
    const std::uint64_t hash = self ? self->hash() : 0;
    visitor("hash", hash);
  }

 private:
  std::unique_ptr<AnyValue> value_;
};

/// One peer's part in a lock with which an epoch starts; see recovery/rehearsal.hpp.
struct RehearsedValue {
  Value value;
  /// What it got if it is inside.
  std::optional<Entered> entered;
  /// What a lock does before anybody asks, if nobody did.
  SaidOutbox out;
};

class AnyAlgorithm {
 public:
  virtual ~AnyAlgorithm() = default;

  // See the concepts of core/contract.hpp.
  virtual bool is_shared() const = 0;
  virtual bool is_dynamic() const = 0;
  virtual bool is_starting() const = 0;
  bool can_ask(const Wish& wish) const { return is_shared() || wish == Wish{}; }

  virtual Value make(NodeId self, const Assignment& start) const = 0;
  virtual RehearsedValue rehearse(NodeId self, const Assignment& start,
                                  std::span<const Claim> holders,
                                  std::span<const Claim> waiters) const = 0;
  /// Reads what somebody sent, and says what is wrong with it; nothing if nothing is.
  virtual std::string read(Said& message) const = 0;
};

}  // namespace conch::recovery
