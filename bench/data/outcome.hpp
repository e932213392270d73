// What every user of conch::Data here does with an outcome: go on, or end with a sentence.
#pragma once

#include <conch/data.hpp>
#include <stdexcept>
#include <string>

namespace conch::bench {

inline void expect_ok(Outcome outcome) {
  if (outcome != Outcome::ok) throw std::runtime_error(std::string("conch: ") + describe(outcome));
}

}  // namespace conch::bench
