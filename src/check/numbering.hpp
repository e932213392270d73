// Numbers values. Equal values have equal numbers, and a value never moves.
#pragma once

#include "check/storage.hpp"
#include "core/hash.hpp"

namespace conch::check {

template <class T>
class Numbering {
 public:
  explicit Numbering(MemoryBudget& memory) : values_(memory), numbers_(memory) {}

  std::uint32_t number(const T& value) {
    std::uint64_t hash = hash64(value);
    auto is_it = [&](const Numbered& each) {
      return each.value_hash == hash && values_[each.next - 1] == value;
    };
    auto make = [&] {
      values_.push_back(value);
      return Numbered{hash, static_cast<std::uint32_t>(values_.size())};
    };
    return numbers_.insert(hash, is_it, make).first.next - 1;
  }
  const T& operator[](std::uint32_t index) const { return values_[index]; }
  std::size_t size() const { return values_.size(); }

 private:
  /// `next` is the value's number plus one, so that zeros mean an unused entry.
  struct Numbered {
    std::uint64_t value_hash;
    std::uint32_t next;
    bool unused() const { return next == 0; }
    std::uint64_t hash() const { return value_hash; }
  };

  Blocks<T> values_;
  HashTable<Numbered, OwnHash> numbers_;
};

}  // namespace conch::check
