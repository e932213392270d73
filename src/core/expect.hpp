// Invariants. A broken one aborts and says what broke; it is not an error to handle.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string_view>

namespace conch {

/// Aborts, or throws BrokenInvariant while an InvariantWatch lives in this thread.
[[noreturn]] void invariant_broken(std::string_view condition, std::string_view why,
                                   std::source_location where = std::source_location::current());

class BrokenInvariant : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// While it lives, an invariant broken in this thread throws. For worlds that break the assumptions
/// of algorithms on purpose and discard the values afterwards.
class InvariantWatch {
 public:
  InvariantWatch();
  ~InvariantWatch();
  InvariantWatch(const InvariantWatch&) = delete;
  InvariantWatch& operator=(const InvariantWatch&) = delete;
};

}  // namespace conch

/// Checked in every build type: after a broken invariant an algorithm could let two holders in.
#define CONCH_EXPECT(condition, why) \
  ((condition) ? void() : ::conch::invariant_broken(#condition, why))
