// The set of the states reached so far, shared by all threads. A state is one word, and nothing
// else is stored with it.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "check/storage.hpp"

namespace conch::check {

/// Each shard grows by itself, in the thread that finds it full. Two threads wait for each other
/// only if they use the same shard at the same time.
class StateSet {
 public:
  static constexpr std::size_t shard_count = 256;

  explicit StateSet(MemoryBudget& memory) {
    for (auto& shard : shards_) shard = std::make_unique<Shard>(memory);
  }

  /// Adds a state, which must not be 0. Returns whether it is new.
  bool insert(std::uint64_t state) {
    std::uint64_t hash = mixed(state);
    Shard& shard = *shards_[hash % shard_count];
    std::lock_guard lock(shard.lock);
    return shard.states
        .insert(
            hash, [&](std::uint64_t each) { return each == state; }, [&] { return state; })
        .second;
  }
  /// Fetches the place of a state that will soon be inserted.
  void prefetch(std::uint64_t state) const {
    std::uint64_t hash = mixed(state);
    shards_[hash % shard_count]->states.prefetch(hash);
  }

  // Call these only while nothing is inserted.
  /// The bytes that it has grown by since it was empty.
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& shard : shards_) sum += shard->states.bytes();
    return sum;
  }
  std::uint64_t contended() const {
    std::uint64_t sum = 0;
    for (const auto& shard : shards_) sum += shard->lock.contended();
    return sum;
  }
  /// Calls f(state) for each state of a shard, and forgets them. Different threads may take
  /// different shards.
  template <class F>
  void drain(std::size_t index, F&& f) {
    std::unique_ptr<Shard> shard = std::move(shards_[index]);
    for (std::uint64_t state : shard->states.entries())
      if (state != 0) f(state);
  }

 private:
  struct HashOf {
    std::uint64_t operator()(std::uint64_t state) const { return mixed(state); }
  };
  struct alignas(64) Shard {
    explicit Shard(MemoryBudget& memory) : states(memory) {}
    SpinLock lock;
    HashTable<std::uint64_t, HashOf> states;
  };

  std::array<std::unique_ptr<Shard>, shard_count> shards_;
};

}  // namespace conch::check
