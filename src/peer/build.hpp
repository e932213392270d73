// What depends on a peer's build: the protocol versions it speaks, and its recovery policy. Tests
// run peers of other releases and with other policies beside those of this build.
#pragma once

#include "core/versions.hpp"
#include "recovery/policy.hpp"

namespace conch::peer {

struct Build {
  Versions speaks = spoken;
  const recovery::RecoveryPolicy* policy = conch::policy<recovery::RecoveryPolicy>();
};

}  // namespace conch::peer
