// How a program joins its group, as far as the environment says.
#pragma once

#include <conch/peer.hpp>
#include <string>

namespace conch::capi {

/// The options for joining this group. Throws Error if a variable makes no sense.
PeerOptions options_from_environment(const std::string& group);

}  // namespace conch::capi
