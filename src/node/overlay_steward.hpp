// The steward of a group without a register: it finds the replicas of locks by an overlay, knows a
// few neighbours and no roster, and has a lease for each lock that it holds instead of one for all.
//
// Its `view` is what one peer can know: itself and its neighbours. Nobody is expelled, and there
// are no epochs; a lock whose lease ran out is Lost, and the peer stays in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "node/address_book.hpp"
#include "node/agreement.hpp"
#include "overlay/fence_clock.hpp"
#include "recovery/any_steward.hpp"

namespace conch::node {

struct OverlayTraits {
  recovery::Member self;
  Agreement agreement;
  /// Through whom it joins; none: it founds a ring of one.
  std::vector<Introduction> contacts;
  /// For the delays of timers.
  std::uint64_t seed = 0;
  overlay::FenceClock clock = {};
};

std::unique_ptr<recovery::AnySteward> make_overlay_steward(const OverlayTraits& traits);

}  // namespace conch::node
