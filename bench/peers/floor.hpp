// The lower bound for any lock: the time of a message of 64 bytes from one process to another.
#pragma once

#include "contender.hpp"

namespace conch::bench {

/// The median of the one-way times.
double ping_pong_ns(Transport transport, double seconds);

}  // namespace conch::bench
