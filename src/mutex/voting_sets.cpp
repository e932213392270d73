#include "mutex/voting_sets.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/scratch.hpp"

namespace conch {

namespace {

using Positions = std::vector<std::size_t>;

bool is_prime(std::size_t number) {
  if (number < 2) return false;
  for (std::size_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return true;
}

/// Any two sets meet, although the last row may be incomplete: of two members in different rows at
/// least one is in a complete row, and that row meets the other member's column.
Positions grid_set(std::size_t self, std::size_t members) {
  std::size_t width = 1;
  while (width * width < members) ++width;
  Positions set;
  for (std::size_t other = 0; other < members; ++other)
    if (other / width == self / width || other % width == self % width) set.push_back(other);
  return set;
}

/// The positions of zeros among the first q*q + q + 1 elements of the recurrence s(n+3) = a s(n+2)
/// + b s(n+1) + c s(n) modulo q, which starts with 0, 0, 1.
Positions zeros(std::size_t q, std::size_t a, std::size_t b, std::size_t c) {
  Positions found;
  std::size_t s[3] = {0, 0, 1};
  for (std::size_t n = 0; n < q * q + q + 1; ++n) {
    if (s[0] == 0) found.push_back(n);
    std::size_t next = (a * s[2] + b * s[1] + c * s[0]) % q;
    s[0] = s[1];
    s[1] = s[2];
    s[2] = next;
  }
  return found;
}

/// Whether every difference but 0, modulo q*q + q + 1, comes from exactly one pair.
bool is_difference_set(const Positions& set, std::size_t q) {
  if (set.size() != q + 1) return false;
  std::size_t modulus = q * q + q + 1;
  std::vector<bool> seen(modulus);
  for (std::size_t x : set) {
    for (std::size_t y : set) {
      std::size_t difference = (x + modulus - y) % modulus;
      if (difference != 0 && seen[difference]) return false;
      seen[difference] = true;
    }
  }
  return true;
}

/// Singer 1938: a recurrence whose polynomial is primitive gives a difference set, and every prime
/// has one. The set contains 0.
Positions singer_set(std::size_t q) {
  for (std::size_t a = 0; a < q; ++a)
    for (std::size_t b = 0; b < q; ++b)
      for (std::size_t c = 1; c < q; ++c)
        if (Positions set = zeros(q, a, b, c); is_difference_set(set, q)) return set;
  invariant_broken("singer_set(q)", "every prime has a difference set");
}

/// The lines of the plane are the shifts of a difference set. Any two lines meet in one point, and
/// the line of a member passes through that member.
Positions plane_set(std::size_t self, std::size_t q) {
  // Cached: the search is slow for large planes, and every node of a simulation needs the same one.
  using Last = std::pair<std::size_t, Positions>;
  Positions set = Scratch<Last>::use([&](Last& last) {
    if (last.first != q) last = {q, singer_set(q)};
    return last.second;
  });
  for (std::size_t& position : set) position = (position + self) % (q * q + q + 1);
  return set;
}

}  // namespace

std::optional<std::size_t> plane_order(std::size_t points) {
  std::size_t q = 1;
  while (q * q + q + 1 < points) ++q;
  if (q * q + q + 1 != points || !is_prime(q)) return std::nullopt;
  return q;
}

FlatSet<NodeId> voting_set(const Members& members, NodeId self, VotingSetShape voting) {
  std::size_t position = *members.index_of(self);
  std::optional<std::size_t> q = plane_order(members.size());
  if (voting == VotingSetShape::plane && !q)
    throw std::invalid_argument(
        "a projective plane needs q*q + q + 1 members for a prime q (7, 13, "
        "31, 57, 133, ...); this group has " +
        std::to_string(members.size()) + ": choose the grid");
  bool on_plane = q && voting != VotingSetShape::grid;
  FlatSet<NodeId> set;
  for (std::size_t other : on_plane ? plane_set(position, *q) : grid_set(position, members.size()))
    set.insert(members[other]);
  return set;
}

}  // namespace conch
