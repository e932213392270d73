// The states seen so far, shared by all threads: their fingerprints, or the states whole.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "check/state.hpp"

namespace conch::check {

class Visited {
 public:
  explicit Visited(bool exact) : exact_(exact), shards_(shard_count) {}

  /// Whether this is the first time.
  bool insert(std::span<const std::uint32_t> words) {
    Fingerprint print = fingerprint(words);
    Shard& shard = shards_[print.high >> 56];
    std::lock_guard lock(shard.mutex);
    std::size_t before = shard.bytes();
    bool fresh = exact_ ? shard.insert_exact(print, words) : shard.insert(print);
    bytes_ += shard.bytes() - before;
    return fresh;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t shard_count = 256;

  /// Open addressing; an empty place is all zeros, and no fingerprint is.
  struct Shard {
    std::mutex mutex;
    std::vector<Fingerprint> places{16};
    std::size_t count = 0;
    /// The states whole: where each starts, by place, and their words, length first.
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> words;

    std::size_t bytes() const {
      return places.size() * sizeof(Fingerprint) + offsets.size() * sizeof(std::uint64_t) +
             words.size() * sizeof(std::uint32_t);
    }
    bool insert(Fingerprint print) {
      std::size_t place = home(print);
      for (; places[place] != Fingerprint{}; place = next(place))
        if (places[place] == print) return false;
      places[place] = print;
      if (++count * 4 > places.size() * 3) grow();
      return true;
    }
    bool insert_exact(Fingerprint print, std::span<const std::uint32_t> state) {
      if (offsets.empty()) offsets.resize(places.size());
      std::size_t place = home(print);
      for (; places[place] != Fingerprint{}; place = next(place))
        if (places[place] == print && same(offsets[place], state)) return false;
      places[place] = print;
      offsets[place] = words.size();
      words.push_back(static_cast<std::uint32_t>(state.size()));
      words.insert(words.end(), state.begin(), state.end());
      if (++count * 4 > places.size() * 3) grow();
      return true;
    }

   private:
    std::size_t home(Fingerprint print) const { return print.low & (places.size() - 1); }
    std::size_t next(std::size_t place) const { return (place + 1) & (places.size() - 1); }
    bool same(std::uint64_t offset, std::span<const std::uint32_t> state) const {
      return words[offset] == state.size() &&
             std::equal(state.begin(), state.end(),
                        words.begin() + static_cast<std::ptrdiff_t>(offset) + 1);
    }
    void grow() {
      std::vector<Fingerprint> old =
          std::exchange(places, std::vector<Fingerprint>(2 * places.size()));
      std::vector<std::uint64_t> old_offsets = std::exchange(offsets, {});
      if (!old_offsets.empty()) offsets.resize(places.size());
      for (std::size_t i = 0; i < old.size(); ++i) {
        if (old[i] == Fingerprint{}) continue;
        std::size_t place = home(old[i]);
        while (places[place] != Fingerprint{}) place = next(place);
        places[place] = old[i];
        if (!old_offsets.empty()) offsets[place] = old_offsets[i];
      }
    }
  };

  bool exact_;
  std::atomic<std::size_t> bytes_ = 0;
  std::vector<Shard> shards_;
};

}  // namespace conch::check
