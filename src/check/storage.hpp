// Containers for searches whose memory is bounded: each grows by small steps, or asks the bound
// before it grows.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/memory.hpp"

namespace conch::check {

/// Values by number. A value never moves.
template <class T>
class Blocks {
 public:
  explicit Blocks(MemoryBudget& memory) : memory_(memory) {}

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
    // Keep one empty block, so that pushing and popping at its edge does not allocate each time.
    if (blocks_.size() > size_ / per_block + 2) blocks_.pop_back();
  }

 private:
  static constexpr std::size_t per_block =
      std::bit_floor(std::max<std::size_t>(1, MemoryBudget::step / sizeof(T)));

  void add_block() {
    memory_.expect_room();
    std::vector<T> block;
    block.reserve(per_block);
    blocks_.push_back(std::move(block));
  }

  MemoryBudget& memory_;
  std::vector<std::vector<T>> blocks_;
  std::size_t size_ = 0;
};

/// A hash table with open addressing. An entry is plain data, and an entry of zeros is unused.
/// HashOf returns an entry's hash, whose upper half decides where the entry belongs. The table
/// grows by a third, so that little of it is empty.
template <class Entry, class HashOf>
class HashTable {
  static_assert(std::is_trivially_copyable_v<Entry>);

 public:
  static constexpr std::size_t capacity_min = 16;

  explicit HashTable(MemoryBudget& memory, HashOf hash_of = {}, std::size_t capacity = capacity_min)
      : memory_(memory),
        hash_of_(hash_of),
        entries_(make_zeros(capacity * sizeof(Entry))),
        first_(static_cast<Entry*>(entries_.get())),
        capacity_(capacity) {}

  std::size_t size() const { return count_; }
  /// The bytes that it has grown by since its smallest size.
  std::size_t bytes() const { return (capacity_ - capacity_min) * sizeof(Entry); }
  std::span<Entry> entries() { return {first_, capacity_}; }

  /// Fetches the place of an entry that will soon be looked for. Other threads may insert
  /// meanwhile. If they move the entries, this fetches the wrong place, which does no harm.
  void prefetch(std::uint64_t hash) const {
    std::size_t capacity = std::atomic_ref(capacity_).load(std::memory_order_relaxed);
    __builtin_prefetch(std::atomic_ref(first_).load(std::memory_order_relaxed) +
                       ((hash >> 32) * capacity >> 32));
  }
  /// The entry that matches, or the unused one in its place.
  template <class Match>
  Entry& find(std::uint64_t hash, Match&& match) {
    Entry* entries = first_;
    std::size_t place = (hash >> 32) * capacity_ >> 32;
    while (!is_unused(entries[place]) && !match(entries[place]))
      if (++place == capacity_) place = 0;
    return entries[place];
  }
  /// Finds the entry, or inserts what `make` returns; also says whether it inserted.
  template <class Match, class Make>
  std::pair<Entry&, bool> insert(std::uint64_t hash, Match&& match, Make&& make) {
    if (count_ == room_) grow();
    Entry& found = find(hash, match);
    if (!is_unused(found)) return {found, false};
    found = make();
    ++count_;
    return {found, true};
  }
  static bool is_unused(const Entry& entry) {
    if constexpr (std::is_integral_v<Entry>) {
      return entry == 0;
    } else {
      return entry.unused();
    }
  }

 private:
  /// Grows by a third if the bound allows it. Otherwise fills the table as far as it can without
  /// becoming slow.
  void grow() {
    std::size_t larger = capacity_ + capacity_ / 3;
    MemoryBudget::Reservation claim(memory_, larger * sizeof(Entry));
    std::size_t full = capacity_ / 16 * 15;
    if (!claim.granted()) {
      if (room_ == full) throw MemoryFull();
      room_ = full;
      return;
    }
    Zeros old = std::exchange(entries_, make_zeros(larger * sizeof(Entry)));
    std::size_t before = capacity_;
    std::atomic_ref(first_).store(static_cast<Entry*>(entries_.get()), std::memory_order_relaxed);
    std::atomic_ref(capacity_).store(larger, std::memory_order_relaxed);
    room_ = room_of(capacity_);
    for (const Entry& entry : std::span(static_cast<const Entry*>(old.get()), before))
      if (!is_unused(entry)) find(hash_of_(entry), [](const Entry&) { return false; }) = entry;
  }
  static std::size_t room_of(std::size_t capacity) { return capacity - capacity / 6; }

  MemoryBudget& memory_;
  [[no_unique_address]] HashOf hash_of_;
  Zeros entries_;
  // Mutable, because an atomic_ref cannot refer to a const object.
  mutable Entry* first_;
  mutable std::size_t capacity_;
  std::size_t count_ = 0;
  std::size_t room_ = room_of(capacity_);
};

/// Asks the entry for its hash.
struct OwnHash {
  std::uint64_t operator()(const auto& entry) const { return entry.hash(); }
};

/// A lock for sections of a few dozen instructions. Counts how often a thread had to wait for
/// another.
class SpinLock {
 public:
  void lock() {
    if (!taken_.exchange(true, std::memory_order_acquire)) return;
    std::uint64_t spins = 0;
    while (taken_.exchange(true, std::memory_order_acquire))
      while (taken_.load(std::memory_order_relaxed))
        if (++spins % 64 == 0) std::this_thread::yield();
    ++contended_;
  }
  void unlock() { taken_.store(false, std::memory_order_release); }
  /// Call this only while no thread holds the lock.
  std::uint64_t contended() const { return contended_; }

 private:
  std::atomic<bool> taken_ = false;
  std::uint64_t contended_ = 0;
};

/// Every bit of the hash depends on every bit of the word.
inline std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 32) * 0x9fb21c651e98df25;
  word = (word ^ word >> 29) * 0xd6e8feb86659fd93;
  return word ^ word >> 32;
}

}  // namespace conch::check
