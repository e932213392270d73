// A table of texts, each stored once and identified by a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conch::film {

class Texts {
 public:
  explicit Texts(std::size_t bytes_max = std::size_t{1} << 30);
  /// The number of a text, which is added if it is new. Throws std::length_error if there are too
  /// many.
  std::uint32_t number(std::string_view text);
  std::string_view operator[](std::uint32_t number) const;
  std::size_t size() const { return begins_.size() - 1; }

  /// The texts back to back, and where each begins; the last offset is the end of the last text.
  const std::string& bytes() const { return bytes_; }
  const std::vector<std::uint32_t>& begins() const { return begins_; }

 private:
  void grow();

  std::size_t bytes_max_;
  std::string bytes_;
  std::vector<std::uint32_t> begins_{0};
  std::vector<std::uint32_t> hashes_;
  /// An open-addressed hash table of text numbers plus one; 0 is an empty slot.
  std::vector<std::uint32_t> places_;
};

}  // namespace conch::film
