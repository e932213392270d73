// The part of PeerOptions that comes from environment variables (docs/data.md lists them).
#pragma once

#include <conch/peer.hpp>
#include <string>

namespace conch::capi {

/// Returns the options for joining this group. Throws Error if a variable has a bad value.
PeerOptions options_from_environment(const std::string& group);

}  // namespace conch::capi
