// Values that are kept under a number until they are fetched, mostly messages on their way.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace conch::sim {

using Slot = std::uint32_t;

/// Free numbers are given out again, the last one first.
template <class Value>
class Slots {
 public:
  Slot put(Value value) {
    if (free_count_ == 0) grow();
    Slot slot = free_[--free_count_];
    at(slot) = std::move(value);
    return slot;
  }
  /// The value stays where it is until its slot is freed.
  const Value& operator[](Slot slot) const { return blocks_[slot / block_size][slot % block_size]; }
  void free(Slot slot) { free_[free_count_++] = slot; }
  Value take(Slot slot) {
    free(slot);
    return std::move(at(slot));
  }

 private:
  static constexpr Slot block_size = 64;

  Value& at(Slot slot) { return blocks_[slot / block_size][slot % block_size]; }
  void grow() {
    auto first = static_cast<Slot>(blocks_.size()) * block_size;
    blocks_.push_back(std::make_unique<Value[]>(block_size));
    free_.resize(first + block_size);
    for (Slot i = block_size; i > 0; --i) free(first + i - 1);
  }

  std::vector<std::unique_ptr<Value[]>> blocks_;
  /// A stack: the first so many of these.
  std::vector<Slot> free_;
  std::size_t free_count_ = 0;
};

}  // namespace conch::sim
