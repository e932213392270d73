// Invariants that are relied on. A broken one aborts with what broke; it is not an error to handle.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string_view>

namespace conch {

/// Aborts, or throws BrokenInvariant where somebody watches for it.
[[noreturn]] void invariant_broken(std::string_view condition, std::string_view why,
                                   std::source_location where = std::source_location::current());

class BrokenInvariant : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// While it lives, invariants broken in this thread throw. For worlds that break what algorithms
/// assume, to see what happens, and that throw the values away afterwards.
class InvariantWatch {
 public:
  InvariantWatch();
  ~InvariantWatch();
  InvariantWatch(const InvariantWatch&) = delete;
  InvariantWatch& operator=(const InvariantWatch&) = delete;
};

}  // namespace conch

/// Checked in every build type: an algorithm that goes on after a broken invariant hands out locks.
#define CONCH_EXPECT(condition, why) \
  ((condition) ? void() : ::conch::invariant_broken(#condition, why))
