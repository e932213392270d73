// Turns an outcome of conch::Data that is not ok into an exception, for all benchmarks.
#pragma once

#include <conch/data.hpp>
#include <stdexcept>
#include <string>

namespace conch::bench {

inline void expect_ok(Outcome outcome) {
  if (outcome != Outcome::ok) throw std::runtime_error(std::string("conch: ") + describe(outcome));
}

}  // namespace conch::bench
