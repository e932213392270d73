// Between a handle and an algorithm of the contract: what a world does with an order to the lock
// manager, and with what the lock manager says.
#pragma once

#include "core/contract.hpp"
#include "dho/handle.hpp"

namespace conch::dho {

/// Carries out an order to the lock manager. False: it is to somebody else, or it is the join or
/// the leave of a group whose members are fixed, which the world has to decide.
template <Exclusive A>
bool carry_out(const Order& order, A& algorithm, NodeId contact, OutboxOf<A>& out) {
  if (const auto* ask = std::get_if<Ask>(&order)) {
    if constexpr (Shared<A>) {
      algorithm.request(ask->wish, out);
    } else {
      algorithm.request(out);
    }
    return true;
  }
  if (std::holds_alternative<Cancel>(order)) return algorithm.cancel(out), true;
  if (const auto* release = std::get_if<Release>(&order))
    return algorithm.release(release->data, out), true;
  if constexpr (Dynamic<A>) {
    if (std::holds_alternative<Join>(order)) return algorithm.join(contact, out), true;
    if (std::holds_alternative<Leave>(order)) return algorithm.leave(out), true;
  }
  return false;
}

/// Tells the handle. False: it is none of the handle's business.
inline bool tell(Handle& handle, const Effect& effect, Orders& out) {
  if (const auto* entered = std::get_if<Entered>(&effect))
    return handle.entered(*entered, out), true;
  if (std::holds_alternative<Withdrawn>(effect)) return handle.withdrawn(out), true;
  if (std::holds_alternative<Joined>(effect)) return handle.joined(out), true;
  if (std::holds_alternative<Left>(effect)) return handle.left(out), true;
  return false;
}

}  // namespace conch::dho
