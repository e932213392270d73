// The group member of a group without a register. It finds the replicas of locks by an overlay, and
// knows a few neighbours instead of a roster. It has a lease for each lock that it holds, instead
// of one for all.
//
// Its `view` is what one peer can know: itself and its neighbours. Nobody is expelled and there are
// no epochs. When the lease of a lock runs out, that lock is lost, and the peer stays in the group.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "node/address_book.hpp"
#include "node/overlay_group_settings.hpp"
#include "overlay/fence_clock.hpp"
#include "recovery/group_member.hpp"

namespace conch::node {

struct OverlayTraits {
  recovery::Member self;
  OverlayGroupSettings overlay_settings;
  /// The peers through which it joins; without any, it founds a ring of one.
  std::vector<Introduction> contacts;
  /// For random timer delays.
  std::uint64_t seed = 0;
  overlay::FenceClock clock = {};
};

std::unique_ptr<recovery::GroupMember> make_overlay_member(const OverlayTraits& traits);

}  // namespace conch::node
