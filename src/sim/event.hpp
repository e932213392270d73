// What happens in the simulation of an algorithm.
#pragma once

#include "sim/event_queue.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

enum class What : std::uint8_t {
  deliver,     // node receives the message of slot b from a
  frame,       // node receives the link's frame b from a
  retransmit,  // the link from node to a may have to resend
  tell,        // node sends a an application message
  told,        // node receives application message b from a
  think,       // node's thinking time is over
  release,     // node releases the lock of its request number b
  cancel,      // node loses patience with its request number b
  drop,        // node drops its request number b, whether it waits or is inside
  leave,       // node leaves the group
  join,        // node joins it again
  roster,      // every node learns who belongs to the group
  timer,       // node's timer a, armed for the b-th time
  fault,       // scheduled fault b begins
  fault_ends,  // scheduled fault b ends
  detect,      // every node learns that a has crashed
  calm,        // all faults end
};

struct Event {
  Node node = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// The node's life that this belongs to; an event of an earlier life is void.
  std::uint16_t life = 0;
  What what = What::deliver;
  std::uint8_t kind = 0;
};
static_assert(sizeof(Scheduled<Event>) == 32);

}  // namespace conch::sim
