#include "election/chang_roberts_specimens.hpp"

namespace conch {

static_assert(Elector<ChangRobertsParticipant>);

void ChangRobertsParticipant::receive(NodeId from, const Election& m, Out& out) {
  bool ends_here = participant_ && !retired_ && m.candidate < self_;
  ChangRoberts::receive(from, m, out);
  if (ends_here) forward(m, out);
}

}  // namespace conch
