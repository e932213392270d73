// A group of ELMP members for the unit tests of its tree and its list.
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "mutex/elmp.hpp"
#include "mutex/testing/group.hpp"

namespace conch::testing {

// The state that the tests read of a member: its position in the tree and its places in the list.

template <class Field>
const Field& field(const Elmp& member, std::string_view name) {
  const Field* found = nullptr;
  visit_fields(member, [&]<class Each>(std::string_view each, const Each& value) {
    if constexpr (std::same_as<Each, Field>)
      if (each == name) found = &value;
  });
  CONCH_EXPECT(found != nullptr, "the field is one of the member's");
  return *found;
}

inline std::optional<NodeId> parent(const Elmp& member) {
  return field<std::optional<NodeId>>(member, "parent_");
}
inline std::size_t degree(const Elmp& member) {
  return field<std::vector<elmp::Child>>(member, "children_").size();
}
inline const std::vector<elmp::PlaceList::Place>& places(const Elmp& member) {
  return field<elmp::PlaceList>(member, "line_").places();
}

inline NodeId root(Group<Elmp>& group) {
  NodeId node = group.members()[0];
  while (parent(group.at(node))) node = *parent(group.at(node));
  return node;
}
inline std::size_t depth(Group<Elmp>& group, NodeId node) {
  std::size_t steps = 0;
  for (; parent(group.at(node)); node = *parent(group.at(node))) ++steps;
  return steps;
}

using Tree = std::map<NodeId, std::optional<NodeId>>;
inline Tree tree(Group<Elmp>& group) {
  Tree parents;
  for (NodeId node : group.members()) parents[node] = parent(group.at(node));
  return parents;
}

/// The nodes ask one after the other; the first enters at once.
inline void line_up(Group<Elmp>& group, std::initializer_list<NodeId> nodes) {
  for (NodeId node : nodes) {
    group.request(node);
    group.settle();
  }
}
/// Releases the holder, and each one after it, until nobody is inside.
inline void let_all_through(Group<Elmp>& group) {
  for (group.settle(); group.anybody(Doing::inside); group.settle())
    for (NodeId node : group.members())
      if (group.doing(node) == Doing::inside) group.release(node);
}
/// Expects that every request was served and nothing is left of it.
inline void expect_at_rest(Group<Elmp>& group) {
  group.check_still();
  group.check_quiescent();
  EXPECT_EQ(group.failure(), "");
  EXPECT_FALSE(group.anybody(Doing::waiting));
}

/// The number of messages of a request. Up the path: one LOCK per step. Between requester and root:
/// SWAP, SWAPPED and DONE. ADOPT and ADOPTED for each child of either. Down the path: one FREE per
/// step but the last, and FREED. At the end: TOKEN. A child of the root has no path to free, and
/// the two need not adopt one another.
inline std::size_t cost(Group<Elmp>& group, NodeId requester) {
  std::size_t steps = depth(group, requester);
  if (steps == 0) return 0;
  std::size_t degrees = degree(group.at(root(group))) + degree(group.at(requester));
  return 2 * steps + 2 * degrees + (steps == 1 ? 1 : 4);
}

}  // namespace conch::testing
