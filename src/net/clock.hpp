// The clock of a peer: CLOCK_BOOTTIME, a steady clock that also counts while the machine is
// suspended.
#pragma once

#include "core/types.hpp"

namespace conch::net {

Time steady_now();

}  // namespace conch::net
