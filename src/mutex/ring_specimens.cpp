#include "mutex/ring_specimens.hpp"

namespace conch {

void RingPassesBy::receive(NodeId, const Token& m, Out& out) {
  token_ = true;
  baton_ = m.baton;
  pass(out);
}

}  // namespace conch
