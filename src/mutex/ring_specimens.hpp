// The token ring without one of its rules.
#pragma once

#include "mutex/ring.hpp"

namespace conch {

/// Processes let the token pass, so it circulates for ever and nobody enters.
class RingPassesBy : public Ring {
 public:
  static constexpr About about =
      broken(Ring::about, "ring@passes-by",
             "[Coulouris 2011, fig. 15.3], without \"but retains it\"", "ME2");

  using Ring::Ring;
  void receive(NodeId from, const Token& m, Out& out);
};

}  // namespace conch
