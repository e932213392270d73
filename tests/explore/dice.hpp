// Draws random values for tasks.
#pragma once

#include <initializer_list>
#include <string>

#include "core/random.hpp"

namespace conch::explore {

class Dice {
 public:
  explicit Dice(Random& random) : random_(random) {}

  bool chance(double probability) { return random_.chance(probability); }
  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    return least + random_.below(most - least + 1);
  }
  std::string text(std::uint64_t least, std::uint64_t most) {
    return std::to_string(number(least, most));
  }
  template <class List>
  std::string one_of(const List& list) {
    return std::string(
        *(std::begin(list) + static_cast<std::ptrdiff_t>(random_.below(std::size(list)))));
  }
  std::string one_of(std::initializer_list<const char*> list) {
    return one_of<std::initializer_list<const char*>>(list);
  }
  std::string milliseconds(std::uint64_t least, std::uint64_t most) {
    return text(least, most) + "ms";
  }
  std::string share() { return one_of({"2%", "10%", "20%", "50%", "80%"}); }

 private:
  Random& random_;
};

}  // namespace conch::explore
