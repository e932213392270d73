// What no lock can beat: the time a message of 64 bytes takes from one process to another.
#pragma once

#include "contender.hpp"

namespace conch::bench {

/// One way, the median.
double ping_pong_ns(Transport transport, double seconds);

}  // namespace conch::bench
