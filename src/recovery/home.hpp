// A lock's home: the peer that makes its token, serves it, or roots its tree. Everybody computes it
// from the lock's name and the founders of the epoch, so that two first users of a name do not make
// two tokens.
#pragma once

#include <string_view>

#include "core/hash.hpp"
#include "core/members.hpp"

namespace conch::recovery {

/// The member with the largest hash together with the name. When one goes, only the locks whose
/// home it was move.
inline NodeId home_of(std::string_view lock, const Members& founders) {
  CONCH_EXPECT(founders.size() > 0, "a lock has a home as long as the group has a member");
  auto weight = [&](NodeId node) {
    Hash64 hash;
    hash_into(hash, lock);
    hash_into(hash, node);
    return hash.value();
  };
  return *std::max_element(founders.begin(), founders.end(),
                           [&](NodeId a, NodeId b) { return weight(a) < weight(b); });
}

}  // namespace conch::recovery
