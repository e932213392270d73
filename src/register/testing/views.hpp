// Short names for lives and views.
#pragma once

#include <utility>
#include <vector>

#include "recovery/view.hpp"

namespace conch {

inline recovery::Life life(std::uint64_t id, std::uint64_t incarnation = 1) {
  return {NodeId{id}, recovery::Incarnation{incarnation}};
}

inline recovery::Roster roster_of(const std::vector<recovery::Life>& lives) {
  std::vector<recovery::Member> members;
  for (const recovery::Life& one : lives)
    members.push_back({one.id, one.incarnation, "here", false});
  return recovery::Roster(std::move(members));
}

/// The view after `last` that this life proposes.
inline recovery::View after(const recovery::View& last, const recovery::Life& decider,
                            const std::vector<recovery::Life>& members,
                            std::vector<recovery::Life> evicted = {}) {
  return {last.number + 1, Epoch{last.epoch.value + 1}, "naimi-trehel",
          decider,         roster_of(members),          std::move(evicted)};
}

}  // namespace conch
