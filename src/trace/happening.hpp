// What may stand in a trace: the same words for a simulated run and for a peer that lives.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace conch::trace {

/// The numbers are part of a simulated run's hash: new ones come at the end.
enum class Happening : std::uint8_t {
  request,
  enter,
  exit,
  cancel,
  withdrawn,  // a process
  send,
  receive,
  lose,
  duplicate,  // a message
  tell,
  told,  // an application message
  join,
  joined,
  leave,
  left,  // membership
  crash,
  restart,
  pause,
  resume,
  suspect,  // a node's fault
  partition,
  heal,  // the network's
  elect,
  elected,
  retire,  // an election
  lost,    // what a process held
  epoch,   // has begun here
  gap,     // events that nobody wrote down
};
inline constexpr Happening last_happening = Happening::gap;

std::string_view word(Happening happening);
std::optional<Happening> happening_of(std::string_view word);

}  // namespace conch::trace
