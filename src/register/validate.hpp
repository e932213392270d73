// Checks on proposals that every register makes.
#pragma once

#include <stdexcept>
#include <string>

#include "recovery/view.hpp"

namespace conch {

inline void expect_sensible(const recovery::View& next) {
  if (next.number == 0 || !next.valid() || !next.roster.valid())
    throw std::invalid_argument(
        "a proposal has a number and an epoch from 1 on, and a roster with each id once");
}

inline void expect_no_way_back(const recovery::View& newest, const recovery::View& next) {
  if (next.epoch < newest.epoch)
    throw std::invalid_argument("a proposal with epoch " + std::to_string(next.epoch.value) +
                                " after epoch " + std::to_string(newest.epoch.value) +
                                ": epochs, and with them fences, do not go back");
}

}  // namespace conch
