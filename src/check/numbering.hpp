// Values by number: equal values have equal numbers, and what is numbered stays where it is.
#pragma once

#include "check/storage.hpp"
#include "core/hash.hpp"

namespace conch::check {

template <class T>
class Numbering {
 public:
  explicit Numbering(Memory& memory) : values_(memory), numbers_(memory) {}

  std::uint32_t number(const T& value) {
    std::uint64_t hash = hash64(value);
    auto is_it = [&](const Numbered& each) {
      return each.value_hash == hash && values_[each.next - 1] == value;
    };
    const Numbered& known = numbers_.find(hash, is_it);
    if (!known.unused()) return known.next - 1;
    // In this order: should there be no room, no number is without its value.
    values_.push_back(value);
    auto next = static_cast<std::uint32_t>(values_.size());
    numbers_.insert({hash, next}, is_it);
    return next - 1;
  }
  const T& operator[](std::uint32_t index) const { return values_[index]; }
  std::size_t size() const { return values_.size(); }

 private:
  /// The number is one less.
  struct Numbered {
    std::uint64_t value_hash;
    std::uint32_t next;
    bool unused() const { return next == 0; }
    std::uint64_t hash() const { return value_hash; }
  };

  Blocks<T> values_;
  HashTable<Numbered> numbers_;
};

}  // namespace conch::check
