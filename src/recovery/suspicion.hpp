// When a peer that does not acknowledge is given up, as arithmetic. A lease that has ended is a
// fact. Silence is a suspicion, and acting on a wrong one costs the suspect its locks, though never
// two holders: nothing is installed before its lease has ended, or it has let go.
#pragma once

#include <algorithm>

#include "core/types.hpp"
#include "recovery/lease.hpp"

namespace conch::recovery {

/// What one peer knows of another.
struct Silence {
  /// For how long it has left something unacknowledged.
  Duration unacknowledged{};
  bool lease_ended = false;
  /// How many others have said that they cannot reach it either.
  unsigned confirmations = 0;
};

enum class Opinion : std::uint8_t {
  fine,
  doubtful,  // the others should be told
  gone,      // it should be put out
};
constexpr std::string_view word(Opinion opinion) {
  switch (opinion) {
    case Opinion::fine: return "fine";
    case Opinion::doubtful: return "doubtful";
    case Opinion::gone: return "gone";
  }
  return "?";
}

/// A lease usually ends first. Who still renews is given many, alone; each other one that cannot
/// reach it halves what is left of that.
constexpr Duration patience(unsigned confirmations, const LeaseTerms& terms) {
  Duration least = 2 * terms.length;
  Duration most = 10 * terms.length;
  return least + (most - least) / (std::int64_t{1} << std::min(confirmations, 16U));
}

constexpr Opinion opinion_of(const Silence& silence, const LeaseTerms& terms) {
  if (silence.lease_ended) return Opinion::gone;
  if (silence.unacknowledged >= patience(silence.confirmations, terms)) return Opinion::gone;
  if (silence.unacknowledged >= terms.length) return Opinion::doubtful;
  return Opinion::fine;
}

/// How long to wait before proposing, so that usually one proposes: who comes first on the roster
/// among those who can.
constexpr Duration proposal_delay(std::size_t rank, const LeaseTerms& terms) {
  return terms.length / 50 * static_cast<std::int64_t>(std::min<std::size_t>(rank, 50));
}

}  // namespace conch::recovery
