// Numbers sequences of words. Equal sequences have the same number in all threads. A sequence that
// has a number never moves, and is read without a lock.
#pragma once

#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "check/storage.hpp"

namespace conch::check {

/// One part of a state: some nodes and the messages to them.
struct StatePart {
  using Words = std::span<const std::uint32_t>;
  Words nodes;
  Words messages;

  std::size_t size() const { return nodes.size() + messages.size(); }
  bool is(Words words) const {
    if (words.size() != size()) return false;
    const std::uint32_t* other = words.data();
    for (std::uint32_t word : nodes)
      if (word != *other++) return false;
    for (std::uint32_t word : messages)
      if (word != *other++) return false;
    return true;
  }
  std::uint64_t hash() const {
    std::uint64_t hash = size();
    auto mix = [&](std::uint32_t word) {
      hash = (hash ^ word) * 0x9fb21c651e98df25;
      hash ^= hash >> 32;
    };
    for (std::uint32_t word : nodes) mix(word);
    for (std::uint32_t word : messages) mix(word);
    return mixed(hash);
  }
};

class PartTable {
 public:
  using Words = StatePart::Words;
  static constexpr std::size_t chunk = MemoryBudget::step / sizeof(std::uint32_t);

  /// The free range in which one thread stores the parts that it adds.
  struct Cursor {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
  };

  explicit PartTable(MemoryBudget& memory) : memory_(memory) {
    for (std::size_t i = 0; i < shard_count; ++i) shards_.emplace_back(memory);
  }

  /// The number of a part, which is added if it is new; never 0. Threads wait for each other only
  /// if their parts are in the same shard.
  std::uint32_t number(const StatePart& part, std::uint64_t hash, Cursor& cursor) {
    Shard& shard = shards_[hash % shard_count];
    std::lock_guard lock(shard.lock);
    auto is_it = [&](std::uint64_t entry) {
      return (entry ^ hash) >> 32 == 0 && part.is((*this)[static_cast<std::uint32_t>(entry)]);
    };
    auto make = [&] { return hash >> 32 << 32 | add(part, cursor); };
    return static_cast<std::uint32_t>(shard.numbers.insert(hash, is_it, make).first);
  }
  /// The words of a part. The number must be one that was given out.
  Words operator[](std::uint32_t number) const {
    const std::uint32_t* first = at(number);
    return {first + 1, *first};
  }
  void prefetch_words(std::uint32_t number) const { __builtin_prefetch(at(number)); }
  /// Fetches the table entry of a part whose number will soon be asked for.
  void prefetch(std::uint64_t hash) const { shards_[hash % shard_count].numbers.prefetch(hash); }

  // Call these only while nothing is added.
  std::size_t bytes() const {
    std::size_t sum = chunks_ * MemoryBudget::step;
    for (const Shard& shard : shards_) sum += shard.numbers.bytes();
    return sum;
  }
  std::uint64_t contended() const {
    std::uint64_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.lock.contended();
    return sum;
  }

 private:
  static constexpr std::size_t shard_count = 64;
  /// A block has twice as many chunks as the one before.
  static constexpr std::size_t block_count = 33 - std::bit_width(chunk - 1);

  /// The upper half of an entry is the upper half of its hash.
  struct HashOf {
    std::uint64_t operator()(std::uint64_t entry) const { return entry; }
  };
  struct alignas(64) Shard {
    explicit Shard(MemoryBudget& memory) : numbers(memory) {}
    SpinLock lock;
    HashTable<std::uint64_t, HashOf> numbers;
  };

  static std::size_t block_of(std::uint64_t number) {
    return static_cast<std::size_t>(std::bit_width(number / chunk + 1) - 1);
  }
  /// The number is the part's offset in all chunks, in words.
  std::uint32_t* at(std::uint64_t number) const {
    std::size_t block = block_of(number);
    std::uint64_t before = ((std::uint64_t{1} << block) - 1) * chunk;
    return blocks_[block].load(std::memory_order_acquire) + (number - before);
  }

  std::uint32_t add(const StatePart& part, Cursor& cursor) {
    if (cursor.end - cursor.next <= part.size()) add_chunk(cursor);
    std::uint64_t number = cursor.next;
    cursor.next += part.size() + 1;
    std::uint32_t* first = at(number);
    *first = static_cast<std::uint32_t>(part.size());
    first = std::copy(part.nodes.begin(), part.nodes.end(), first + 1);
    std::copy(part.messages.begin(), part.messages.end(), first);
    return static_cast<std::uint32_t>(number);
  }
  void add_chunk(Cursor& cursor) {
    memory_.expect_room();
    std::uint64_t first = chunks_++ * chunk;
    if (first + chunk > 1ULL << 32) throw std::length_error("more than 16 GiB of parts of states");
    std::size_t block = block_of(first);
    std::lock_guard lock(mutex_);
    if (!owned_[block]) {
      owned_[block] = std::make_unique_for_overwrite<std::uint32_t[]>(chunk << block);
      blocks_[block].store(owned_[block].get(), std::memory_order_release);
    }
    cursor = {first + (first == 0 ? 1 : 0), first + chunk};
  }

  MemoryBudget& memory_;
  std::deque<Shard> shards_;
  std::atomic<std::uint64_t> chunks_ = 0;
  std::mutex mutex_;
  std::array<std::unique_ptr<std::uint32_t[]>, block_count> owned_;
  std::array<std::atomic<std::uint32_t*>, block_count> blocks_{};
};

}  // namespace conch::check
