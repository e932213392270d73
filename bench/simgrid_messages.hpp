// SimGrid's rate on messages alone: the rival of the simulator in bench/sim.cpp.
#pragma once

#include <cstdint>

/// Messages a second of wall time: so many of 64 bytes, each sent by the actor that got the one
/// before to any other, with so many on their way at a time. An engine of SimGrid is for once: call
/// this once in a process.
double simgrid_messages_per_s(std::uint32_t actors, std::uint64_t messages,
                              std::uint32_t in_flight);
