// What the steady clock shows, as everything in a peer counts time: with the time that the machine
// has slept.
#pragma once

#include "core/types.hpp"

namespace conch::net {

Time steady_now();

}  // namespace conch::net
