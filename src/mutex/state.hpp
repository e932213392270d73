// The states of a process, named as in [Coulouris 2011, fig. 15.4].
#pragma once

#include <cstdint>
#include <string_view>

namespace conch {

enum class State : std::uint8_t {
  released,
  wanted,
  held,
  cancelling,  // only where a cancel takes more than one step
};

inline std::string_view word(State state) {
  switch (state) {
    case State::released: return "released";
    case State::wanted: return "wanted";
    case State::held: return "held";
    case State::cancelling: return "cancelling";
  }
  return "?";
}

}  // namespace conch
