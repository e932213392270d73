// A block of memory that worker processes hand over, and the counters that they share to detect
// that a part of it was lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>

namespace conch::testing {

struct BlockArena {
  std::atomic<std::uint64_t> handovers;
  std::atomic<std::uint64_t> handovers_wanted;
  std::atomic<std::int32_t> last_process;
  /// No worker starts before `ready` reaches `ready_wanted`: a worker that is alone has no peer for
  /// its copies.
  std::atomic<std::uint32_t> ready;
  std::atomic<std::uint32_t> ready_wanted;
  /// The newest version whose release has returned.
  std::atomic<std::uint64_t> released;
  // These must stay 0.
  std::atomic<std::uint64_t> wrong_sums;
  std::atomic<std::uint64_t> versions_lost;
  // These may happen when a worker is killed.
  std::atomic<std::uint64_t> torn;
  std::atomic<std::uint64_t> rolled_back;
  std::atomic<std::uint64_t> releases;
};

/// The first word counts the changes; the second one is the sum of all words but itself.
class Block {
 public:
  explicit Block(std::span<std::byte> bytes)
      : words_(reinterpret_cast<std::uint64_t*>(bytes.data()), bytes.size() / 8) {}

  std::uint64_t count() const { return words_[0]; }
  bool is_whole() const { return sum() == words_[1]; }
  void fill(std::uint64_t count) {
    std::iota(words_.begin(), words_.end(), count);
    words_[0] = count;
    words_[1] = sum();
  }
  /// Changes a word of every page.
  void change() {
    for (std::size_t i = 2; i < words_.size(); i += 512) {
      words_[1] += 7;
      words_[i] += 7;
    }
    ++words_[0];
    ++words_[1];
  }

 private:
  std::uint64_t sum() const {
    return std::accumulate(words_.begin(), words_.end(), std::uint64_t{0}) - words_[1];
  }
  std::span<std::uint64_t> words_;
};

}  // namespace conch::testing
