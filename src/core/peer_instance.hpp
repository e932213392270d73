// One life of a peer: its id, and a number that none of its earlier lives had.
#pragma once

#include "core/types.hpp"

namespace conch {

/// Tells the lives of a peer apart. A peer that restarts keeps its id and gets a larger
/// incarnation; messages, locks and data of its former life are void. The process draws it when it
/// asks to join, larger than any that the register has seen for its id; no other process draws the
/// same.
enum class Incarnation : std::uint64_t {};

/// One life of one peer.
struct PeerInstance {
  NodeId id;
  Incarnation incarnation{};
  CONCH_NAMED_FIELDS(PeerInstance, "Life", id, incarnation)
  friend auto operator<=>(const PeerInstance&, const PeerInstance&) = default;
};

}  // namespace conch
