#include "overlay/protocol_policy.hpp"

#include "overlay/end_to_end_messages.hpp"

namespace conch::overlay {

bool ProtocolPolicy::is_copy(const e2e::Term& term, const e2e::Term& last) const {
  return term <= last;
}

ProtocolPolicy::Parting ProtocolPolicy::parting(Index replica, const e2e::Term& term,
                                                const DataRef&, HandOff hand_off) const {
  if (hand_off != HandOff::cleanup) return std::nullopt;
  return e2e::Cleanup{replica, term};
}

}  // namespace conch::overlay
