// SimGrid's rate on messages alone: the rival of the simulator in bench/sim.cpp.
#pragma once

#include <cstdint>

// Messages a second of processor time, of 64 bytes, between so many actors in a ring. An engine of
// SimGrid is for once: call one of these, once in a process.

/// So many messages go around; each actor passes on what it gets.
double simgrid_rate(std::uint32_t actors, std::uint64_t messages, std::uint32_t in_flight);
/// Each sends to its neighbour, again and again, and waits for what comes from the other side: on
/// lines of equal length all of them do so at the same moment.
double simgrid_rate_in_step(std::uint32_t actors, std::uint64_t messages);
