// Chang-Roberts without one of its rules.
#pragma once

#include "election/chang_roberts.hpp"

namespace conch {

/// Forwards a smaller identifier though it takes part already.
class ChangRobertsParticipant : public ChangRoberts {
 public:
  static constexpr About about =
      broken(ChangRoberts::about, "chang-roberts@participant",
             "[Coulouris 2011, section 15.3], without \"does not forward\"", "E1");

  using ChangRoberts::ChangRoberts;
  using ChangRoberts::receive;
  void receive(NodeId from, const Election& m, Out& out);
};

}  // namespace conch
