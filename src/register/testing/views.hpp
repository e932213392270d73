// Short names for lives and views.
#pragma once

#include <utility>
#include <vector>

#include "recovery/view.hpp"

namespace conch {

inline PeerInstance life(std::uint64_t id, std::uint64_t incarnation = 1) {
  return {NodeId{id}, Incarnation{incarnation}};
}

inline recovery::Roster roster_of(const std::vector<PeerInstance>& lives) {
  std::vector<recovery::Member> members;
  for (const PeerInstance& one : lives) members.push_back({one.id, one.incarnation, "here", false});
  return recovery::Roster(std::move(members));
}

/// The view after `last` that this life proposes.
inline recovery::View after(const recovery::View& last, const PeerInstance& decider,
                            const std::vector<PeerInstance>& members,
                            std::vector<PeerInstance> evicted = {}) {
  return {last.number + 1, Epoch{last.epoch.value + 1}, "naimi-trehel",
          decider,         roster_of(members),          std::move(evicted)};
}

}  // namespace conch
