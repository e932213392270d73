// A block of memory that processes pass on, and what they share to see that nothing of it is lost.
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
  /// Nobody starts before so many are in the group: who is alone has nobody to give a copy to.
  std::atomic<std::uint32_t> ready;
  std::atomic<std::uint32_t> ready_wanted;
  /// Of the newest version whose release has returned.
  std::atomic<std::uint64_t> released;
  // What must not happen.
  std::atomic<std::uint64_t> wrong_sums;
  std::atomic<std::uint64_t> versions_lost;
  // What may happen when somebody is killed.
  std::atomic<std::uint64_t> torn;
  std::atomic<std::uint64_t> rolled_back;
  std::atomic<std::uint64_t> releases;
};

/// The first word counts the changes, the second is the sum of all words but itself.
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
  /// Something on every page.
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
