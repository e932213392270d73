// A single fault at a given step of a run, for a given peer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace conch::sim {

struct Strike {
  enum class Kind : std::uint8_t {
    kill,     // no peer notices: its lease runs out
    end,      // it is seen to be dead
    restart,  // it starts again before any peer has noticed
    delay,    // it is stopped for a moment, in which others get ahead of it
    nap,      // it is stopped for less than its lease
    stop,     // it is stopped for longer
    leave,
    cut_off,  // it does not reach the register
    hang_up,  // all its connections break
    suspect,  // another peer thinks that it is dead
  };
  /// The fault strikes before the event with this number.
  std::uint64_t step = 0;
  Kind kind{};
  std::uint32_t peer = 0;
};

inline constexpr Strike::Kind strikes[] = {
    Strike::Kind::kill,    Strike::Kind::end,    Strike::Kind::restart, Strike::Kind::delay,
    Strike::Kind::nap,     Strike::Kind::stop,   Strike::Kind::leave,   Strike::Kind::cut_off,
    Strike::Kind::hang_up, Strike::Kind::suspect};

std::string_view word(Strike::Kind kind);
/// As 137:kill:1.
std::string print(const Strike& strike);
/// Throws BadText.
Strike parse_strike(const std::string& text);

}  // namespace conch::sim
