// A page of data that travels with a lock: its last writer, how often it was written, and words
// computed from both, so that a torn page is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace conch::chaos {

class Page {
 public:
  explicit Page(std::span<std::byte> bytes)
      : words_(reinterpret_cast<std::uint64_t*>(bytes.data()), bytes.size() / 8) {}

  /// The fence of the last writer; 0 if there was none.
  std::uint64_t fence() const { return words_[0]; }
  std::uint64_t count() const { return words_[1]; }
  bool is_whole() const {
    for (std::size_t i = 2; i < words_.size(); ++i)
      if (words_[i] != word(i)) return false;
    return true;
  }
  void write(std::uint64_t fence, std::uint64_t count) {
    words_[0] = fence;
    words_[1] = count;
    for (std::size_t i = 2; i < words_.size(); ++i) words_[i] = word(i);
  }

 private:
  /// An unwritten page is all zero.
  std::uint64_t word(std::size_t at) const { return fence() * count() * at; }

  std::span<std::uint64_t> words_;
};

}  // namespace conch::chaos
