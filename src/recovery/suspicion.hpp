// When to give up on a peer that does not acknowledge, as arithmetic. An ended lease is a fact.
// Silence is only a suspicion; acting on a wrong one costs the suspect its locks, but never makes
// two holders: nothing is installed before its lease has ended or it has let go.
#pragma once

#include <algorithm>

#include "core/types.hpp"
#include "recovery/lease.hpp"

namespace conch::recovery {

/// What one peer knows about another's silence.
struct Silence {
  /// How long it has left something unacknowledged.
  Duration unacknowledged{};
  bool lease_ended = false;
  /// How many other members say that they cannot reach it either.
  unsigned confirmations = 0;
};

enum class Opinion : std::uint8_t {
  fine,
  doubtful,  // the others should be told
  gone,      // it should be evicted
};
constexpr std::string_view word(Opinion opinion) {
  switch (opinion) {
    case Opinion::fine: return "fine";
    case Opinion::doubtful: return "doubtful";
    case Opinion::gone: return "gone";
  }
  return "?";
}

/// How long silence is tolerated; usually the lease ends first. A peer that still renews gets ten
/// leases if nobody else doubts it. Each other member that cannot reach it halves the excess over
/// two.
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

/// How long to wait before proposing. The delay grows with the rank, so usually only the first
/// living member on the roster proposes.
constexpr Duration proposal_delay(std::size_t rank, const LeaseTerms& terms) {
  return terms.length / 50 * static_cast<std::int64_t>(std::min<std::size_t>(rank, 50));
}

/// How long a view of a large group stands before it changes because peers join, leave or have
/// died. So those that do so meanwhile do it together, and a recovery can end before the next
/// begins.
constexpr Duration view_pause(std::size_t members, const LeaseTerms& terms) {
  constexpr std::size_t small_group = 16;
  if (members <= small_group) return {};
  return std::min<Duration>(std::chrono::milliseconds(members), terms.length / 5);
}

}  // namespace conch::recovery
