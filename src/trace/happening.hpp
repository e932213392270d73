// The kinds of events in a trace, the same for a simulated run and for live peers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace conch::trace {

/// The numbers are part of a simulated run's hash, so new ones go to the end.
enum class Happening : std::uint8_t {
  request,
  enter,
  exit,
  cancel,
  withdrawn,  // up to here: processes
  send,
  receive,
  lose,
  duplicate,  // up to here: messages
  tell,
  told,  // up to here: application messages
  join,
  joined,
  leave,
  left,  // up to here: membership
  crash,
  restart,
  pause,
  resume,
  suspect,  // up to here: faults of nodes
  partition,
  heal,  // up to here: faults of the network
  elect,
  elected,
  retire,  // up to here: elections
  lost,    // a process lost what it held
  epoch,   // an epoch began at this node
  gap,     // events are missing here
};
inline constexpr Happening last_happening = Happening::gap;

std::string_view word(Happening happening);
std::optional<Happening> happening_of(std::string_view word);

}  // namespace conch::trace
