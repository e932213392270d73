// Type erasure for the algorithm that a group runs and for its lock values. Recovery is compiled
// once, against these types, and passes messages on as bytes; only values read them.
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

/// A node that holds a lock or waits for it.
struct NodeClaim {
  NodeId node;
  Wish wish;
  CONCH_NAMED_FIELDS(NodeClaim, "Claim", node, wish)
};

/// An encoded message of an algorithm.
struct Said : Encoded {
  // Metadata that the sender knows; not sent along.
  std::string_view type = {};
  bool is_token = false;
  /// The newest data of the lock that the message mentions; version 0 if it mentions none.
  DataRef data = {};
};

using SaidOutbox = Outbox<Said>;

/// One lock at one node; see core/contract.hpp. Callers never ask for what the algorithm cannot do.
class AnyValue {
 public:
  virtual ~AnyValue() = default;
  virtual std::unique_ptr<AnyValue> copy() const = 0;
  /// Both values must be of the same algorithm.
  virtual bool is_equal(const AnyValue& other) const = 0;
  virtual std::uint64_t hash() const = 0;
  /// A pointer to the object of the algorithm's class.
  virtual const void* object() const = 0;

  virtual void apply(const Input& input, SaidOutbox& out) = 0;
  /// Precondition: the message has passed AnyAlgorithm::read, or a local value sent it.
  virtual void receive(NodeId from, const Said& message, SaidOutbox& out) = 0;

  virtual bool holds_token() const = 0;
  /// Only for a value that is inside: false if it knows that nobody waits.
  virtual bool may_be_wanted() const = 0;
  /// The newest baton that the value contains.
  virtual Baton newest() const = 0;
};

/// An optional lock value. Copies are deep.
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

/// One peer's state of a lock at the start of an epoch; see recovery/rehearsal.hpp.
struct RehearsedValue {
  Value value;
  /// What it was granted, if it is inside.
  std::optional<Entered> entered;
  /// If nobody asked: what the value sends when it starts.
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
                                  std::span<const NodeClaim> holders,
                                  std::span<const NodeClaim> waiters) const = 0;
  /// Decodes a received message. Returns what is wrong with it; empty if nothing is.
  virtual std::string read(Said& message) const = 0;
};

}  // namespace conch::recovery
