#include "sim/transport.hpp"

namespace conch::sim {

void RawTransport::note(const Posted& message, int copies, Time now) {
  if (copies > 1) {
    wiring_.observer.duplicated(message, now);
    twins_.insert(message.slot);
  } else {
    wiring_.observer.lost(message, now);
    wiring_.simulated_nodes.discard(message.slot);
  }
}

/// Whether another copy is still to be read.
bool RawTransport::wait_for_twin(Slot slot) { return twins_.erase(slot); }

}  // namespace conch::sim
