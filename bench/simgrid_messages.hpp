// Measures SimGrid's rate on messages alone, to compare with the simulator in bench/sim.cpp.
#pragma once

#include <cstdint>

// Both return messages of 64 bytes per second of processor time, in a ring of actors. An engine of
// SimGrid can be used only once: call only one of them, once in a process.

/// `in_flight` messages go around at the same time; each actor passes on what it gets.
double simgrid_rate(std::uint32_t actors, std::uint64_t messages, std::uint32_t in_flight);
/// Each actor sends to its neighbour again and again, and waits for the message from the other
/// side. On lines of equal length all of them do so at the same moment.
double simgrid_rate_in_step(std::uint32_t actors, std::uint64_t messages);
