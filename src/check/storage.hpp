// Containers that grow by small steps, or ask first, and never move what they hold by copying all
// of it.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/memory.hpp"

namespace conch::check {

/// Values by number; they stay where they are.
template <class T>
class Blocks {
 public:
  explicit Blocks(Memory& memory) : memory_(memory) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return blocks_.size() * per_block * sizeof(T); }
  T& operator[](std::size_t index) { return blocks_[index / per_block][index % per_block]; }
  const T& operator[](std::size_t index) const {
    return blocks_[index / per_block][index % per_block];
  }
  T& back() { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ == blocks_.size() * per_block) add_block();
    blocks_[size_ / per_block].push_back(std::move(value));
    ++size_;
  }
  void pop_back() {
    --size_;
    blocks_[size_ / per_block].pop_back();
    // One that is empty stays, for whoever goes to and fro.
    if (blocks_.size() > size_ / per_block + 2) blocks_.pop_back();
  }

 private:
  static constexpr std::size_t per_block =
      std::bit_floor(std::max<std::size_t>(1, Memory::step / sizeof(T)));

  void add_block() {
    memory_.expect_room();
    std::vector<T> block;
    block.reserve(per_block);
    blocks_.push_back(std::move(block));
  }

  Memory& memory_;
  std::vector<std::vector<T>> blocks_;
  std::size_t size_ = 0;
};

/// Runs of words, one behind the other.
class WordStore {
 public:
  /// Of a run: its block and where it begins there.
  using Place = std::uint64_t;
  using Words = std::span<const std::uint32_t>;

  explicit WordStore(Memory& memory) : memory_(memory) {}

  std::size_t bytes() const { return blocks_.size() * per_block * sizeof(std::uint32_t); }
  Place add(Words words) {
    if (blocks_.empty() || blocks_.back().size() + 1 + words.size() > per_block) add_block();
    std::vector<std::uint32_t>& block = blocks_.back();
    Place place = place_of(blocks_.size() - 1, block.size());
    block.push_back(static_cast<std::uint32_t>(words.size()));
    block.insert(block.end(), words.begin(), words.end());
    return place;
  }
  Words operator[](Place place) const {
    const std::uint32_t* first = blocks_[place >> 32].data() + (place & offset_mask);
    return {first + 1, *first};
  }
  Place next(Place place) const {
    std::size_t block = place >> 32;
    std::size_t offset = (place & offset_mask) + 1 + (*this)[place].size();
    return offset < blocks_[block].size() ? place_of(block, offset) : place_of(block + 1, 0);
  }
  /// Behind the last one.
  Place end() const { return place_of(blocks_.size(), 0); }
  /// Forgets those from here on.
  void cut(Place place) {
    std::size_t offset = place & offset_mask;
    blocks_.resize((place >> 32) + (offset > 0 ? 1 : 0));
    if (offset > 0) blocks_.back().resize(offset);
  }

 private:
  static constexpr std::size_t per_block = Memory::step / 4 / sizeof(std::uint32_t);
  static constexpr Place offset_mask = 0xffffffff;
  static Place place_of(std::size_t block, std::size_t offset) { return block << 32 | offset; }

  void add_block() {
    memory_.expect_room();
    blocks_.emplace_back().reserve(per_block);
  }

  Memory& memory_;
  std::vector<std::vector<std::uint32_t>> blocks_;
};

/// Open addressing. An entry is plain data that knows its hash; one of zeros is `unused`.
template <class Entry>
class HashTable {
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  static constexpr std::size_t capacity_min = 16;

  explicit HashTable(Memory& memory, std::size_t capacity = capacity_min)
      : memory_(memory), entries_(make_zeros(capacity * sizeof(Entry))), capacity_(capacity) {}

  std::size_t size() const { return count_; }
  /// What it has grown by.
  std::size_t bytes() const { return (capacity_ - capacity_min) * sizeof(Entry); }

  /// The one that matches; or the unused one in its place, to be filled after `make_room`.
  template <class Match>
  Entry& find(std::uint64_t hash, Match&& match) {
    Entry* entries = static_cast<Entry*>(entries_.get());
    std::size_t place = hash & (capacity_ - 1);
    while (!entries[place].unused() && !match(entries[place]))
      place = (place + 1) & (capacity_ - 1);
    return entries[place];
  }
  /// Finds it, or puts this one there; and whether it did.
  template <class Match>
  std::pair<Entry&, bool> insert(const Entry& entry, Match&& match) {
    if (count_ == room_) grow();
    Entry& found = find(entry.hash(), match);
    if (!found.unused()) return {found, false};
    found = entry;
    ++count_;
    return {found, true};
  }

 private:
  /// Twice as large, if that is allowed; else as full as it can be without becoming slow.
  void grow() {
    std::size_t doubled = 2 * capacity_;
    Memory::Claim claim(memory_, doubled * sizeof(Entry));
    std::size_t full = capacity_ / 8 * 7;
    if (!claim.granted()) {
      if (room_ == full) throw MemoryFull();
      room_ = full;
      return;
    }
    Zeros old = std::exchange(entries_, make_zeros(doubled * sizeof(Entry)));
    std::size_t before = std::exchange(capacity_, doubled);
    room_ = capacity_ / 4 * 3;
    for (std::size_t i = 0; i < before; ++i) {
      const Entry& entry = static_cast<const Entry*>(old.get())[i];
      if (!entry.unused()) find(entry.hash(), [](const Entry&) { return false; }) = entry;
    }
  }

  Memory& memory_;
  Zeros entries_;
  std::size_t capacity_;
  std::size_t count_ = 0;
  std::size_t room_ = capacity_ / 4 * 3;
};

}  // namespace conch::check
