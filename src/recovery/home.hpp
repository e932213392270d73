// A lock's home: the peer that creates its token, serves it, or roots its tree. Every peer computes
// it from the lock's name and the founders of the epoch, so two first users of a name cannot create
// two tokens.
#pragma once

#include <string_view>

#include "core/hash.hpp"
#include "core/members.hpp"

namespace conch::recovery {

/// The founder with the largest hash of id and name (rendezvous hashing). When a founder goes, only
/// the locks whose home it was move.
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
