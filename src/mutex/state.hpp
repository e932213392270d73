// What a process is doing, in the words of Coulouris et al. 2011, figure 15.4.
#pragma once

#include <cstdint>
#include <string_view>

namespace conch {

enum class State : std::uint8_t {
  released,
  wanted,
  held,
  cancelling,  // where a cancel takes more than one step
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
