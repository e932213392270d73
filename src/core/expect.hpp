// Invariants that are relied on. A broken one aborts with what broke; it is not an error to handle.
#pragma once

#include <source_location>
#include <string_view>

namespace conch {

[[noreturn]] void invariant_broken(std::string_view condition, std::string_view why,
                                   std::source_location where = std::source_location::current());

}  // namespace conch

/// Checked in every build type: an algorithm that goes on after a broken invariant hands out locks.
#define CONCH_EXPECT(condition, why) \
  ((condition) ? void() : ::conch::invariant_broken(#condition, why))
