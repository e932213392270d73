// Texts, each kept once and called by its number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conch::film {

class Texts {
 public:
  explicit Texts(std::size_t bytes_max = std::size_t{1} << 30);
  /// The number of a text; throws std::length_error if there are too many.
  std::uint32_t number(std::string_view text);
  std::string_view operator[](std::uint32_t number) const;
  std::size_t size() const { return begins_.size() - 1; }

  /// Back to back, and where each begins; the last one ends where another would begin.
  const std::string& bytes() const { return bytes_; }
  const std::vector<std::uint32_t>& begins() const { return begins_; }

 private:
  void grow();

  std::size_t bytes_max_;
  std::string bytes_;
  std::vector<std::uint32_t> begins_{0};
  std::vector<std::uint32_t> hashes_;
  /// Where a text may be found by its hash: its number and one, or nothing.
  std::vector<std::uint32_t> places_;
};

}  // namespace conch::film
