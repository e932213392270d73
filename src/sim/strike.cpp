#include "sim/strike.hpp"

#include <charconv>

#include "core/text.hpp"

namespace conch::sim {

std::string_view word(Strike::Kind kind) {
  switch (kind) {
    case Strike::Kind::kill: return "kill";
    case Strike::Kind::end: return "end";
    case Strike::Kind::restart: return "restart";
    case Strike::Kind::delay: return "delay";
    case Strike::Kind::nap: return "nap";
    case Strike::Kind::stop: return "stop";
    case Strike::Kind::leave: return "leave";
    case Strike::Kind::cut_off: return "cut-off";
    case Strike::Kind::hang_up: return "hang-up";
    case Strike::Kind::suspect: return "suspect";
  }
  return "?";
}

std::string print(const Strike& strike) {
  return std::to_string(strike.step) + ":" + std::string(word(strike.kind)) + ":" +
         std::to_string(strike.peer);
}

Strike parse_strike(const std::string& text) {
  Strike strike;
  const char* end = text.data() + text.size();
  auto step = std::from_chars(text.data(), end, strike.step);
  for (Strike::Kind kind : strikes) {
    std::string middle = ":" + std::string(word(kind)) + ":";
    if (step.ec != std::errc{} || !std::string_view(step.ptr).starts_with(middle)) continue;
    strike.kind = kind;
    auto peer = std::from_chars(step.ptr + middle.size(), end, strike.peer);
    if (peer.ec == std::errc{} && peer.ptr == end) return strike;
  }
  throw BadText("\"" + text + "\" is not a step, what happens and to which peer, such as " +
                print(Strike{137, Strike::Kind::kill, 1}));
}

}  // namespace conch::sim
