#include "film/texts.hpp"

#include <functional>
#include <stdexcept>

namespace conch::film {

namespace {

constexpr std::size_t places_first = 64;

}  // namespace

Texts::Texts(std::size_t bytes_max) : bytes_max_(bytes_max), places_(places_first) {}

std::string_view Texts::operator[](std::uint32_t number) const {
  return std::string_view(bytes_).substr(begins_[number], begins_[number + 1] - begins_[number]);
}

std::uint32_t Texts::number(std::string_view text) {
  auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
  std::size_t mask = places_.size() - 1;
  std::size_t place = hash & mask;
  for (; places_[place] != 0; place = (place + 1) & mask) {
    std::uint32_t found = places_[place] - 1;
    if (hashes_[found] == hash && (*this)[found] == text) return found;
  }
  if (bytes_.size() + text.size() > bytes_max_)
    throw std::length_error(
        "the texts of this run take more than a film may have: choose fewer "
        "nodes or fewer requests, or leave out the states");
  auto number = static_cast<std::uint32_t>(size());
  places_[place] = number + 1;
  hashes_.push_back(hash);
  bytes_ += text;
  begins_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  if (2 * size() > places_.size()) grow();
  return number;
}

void Texts::grow() {
  places_.assign(2 * places_.size(), 0);
  std::size_t mask = places_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t place = hashes_[number] & mask;
    while (places_[place] != 0) place = (place + 1) & mask;
    places_[place] = number + 1;
  }
}

}  // namespace conch::film
