// The states seen so far, shared by all threads: their fingerprints, or the states whole.
#pragma once

#include <deque>
#include <mutex>

#include "check/state.hpp"
#include "check/storage.hpp"

namespace conch::check {

class Visited {
 public:
  Visited(Memory& memory, bool exact) : exact_(exact) {
    for (std::size_t i = 0; i < shard_count; ++i) shards_.emplace_back(memory);
  }

  /// Whether this is the first time.
  bool insert(std::span<const std::uint32_t> words) {
    Fingerprint print = fingerprint(words);
    Shard& shard = shards_[print.high >> 56];
    std::lock_guard lock(shard.mutex);
    return exact_ ? shard.insert_exact(print, words) : shard.insert(print);
  }

  /// More than an empty one has; while nothing is inserted.
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Shard& shard : shards_)
      sum += shard.prints.bytes() + shard.whole.bytes() + shard.words.bytes();
    return sum;
  }

 private:
  static constexpr std::size_t shard_count = 256;

  /// No fingerprint is all zeros.
  struct Print {
    Fingerprint print;
    bool unused() const { return print == Fingerprint{}; }
    std::uint64_t hash() const { return print.low; }
  };
  struct Whole {
    Fingerprint print;
    WordStore::Place words;
    bool unused() const { return print == Fingerprint{}; }
    std::uint64_t hash() const { return print.low; }
  };
  struct Shard {
    std::mutex mutex;
    HashTable<Print> prints;
    HashTable<Whole> whole;
    WordStore words;

    explicit Shard(Memory& memory) : prints(memory), whole(memory), words(memory) {}

    bool insert(Fingerprint print) {
      return prints.insert({print}, [&](const Print& each) { return each.print == print; }).second;
    }
    bool insert_exact(Fingerprint print, std::span<const std::uint32_t> state) {
      auto is_it = [&](const Whole& each) {
        return each.print == print && std::ranges::equal(words[each.words], state);
      };
      if (!whole.find(print.low, is_it).unused()) return false;
      return whole.insert({print, words.add(state)}, is_it).second;
    }
  };

  bool exact_;
  std::deque<Shard> shards_;
};

}  // namespace conch::check
