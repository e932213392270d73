#include "recovery/watching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/testing/dice.hpp"

namespace conch::recovery::watching_test {

PeerInstance life(std::uint64_t id) { return {NodeId{id}, Incarnation{1}}; }

/// A group of these members; the first has decided.
View group(const std::vector<std::uint64_t>& ids) {
  std::vector<Member> members;
  for (std::uint64_t id : ids) members.push_back({NodeId{id}, Incarnation{1}});
  View view;
  view.number = 1;
  view.epoch = Epoch{1};
  view.decider = life(ids.front());
  view.roster = Roster(std::move(members));
  return view;
}

std::vector<std::uint64_t> watched(const View& view, std::uint64_t watcher,
                                   const std::set<PeerInstance>& ended = {},
                                   std::size_t most = watched_leases) {
  std::vector<std::uint64_t> seen;
  auto has_ended = [&](const PeerInstance& each) {
    if (std::find(seen.begin(), seen.end(), each.id.value) == seen.end())
      seen.push_back(each.id.value);
    return ended.contains(each);
  };
  walk_watched(view, life(watcher), has_ended, most);
  return seen;
}

using Ids = std::vector<std::uint64_t>;

TEST(Watching, AMemberWatchesTheNextThreeOnTheRing) {
  View view = group({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(watched(view, 1), (Ids{2, 3, 4, 1}));
  EXPECT_EQ(watched(view, 5), (Ids{6, 1, 2}));
}

TEST(Watching, AllWatchTheDecider) {
  View view = group({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(watched(view, 2), (Ids{3, 4, 5, 1}));
  view.decider = life(9);
  EXPECT_EQ(watched(view, 1), (Ids{2, 3, 4, 9})) << "also one that leaves";
}

TEST(Watching, ItGoesOnBehindThoseThatHaveEnded) {
  View view = group({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(watched(view, 1, {life(2), life(3)}), (Ids{2, 3, 4, 5, 6, 1}));
}

TEST(Watching, ANewcomerFindsAllDeadWhereAllAreDead) {
  View view = group({1, 3, 5});
  EXPECT_EQ(watched(view, 4, {life(1), life(3), life(5)}), (Ids{5, 1, 3}));
}

TEST(Watching, ADeciderAlsoWatchesWhomItWaitsFor) {
  View view = group({1, 2, 3, 4, 5, 6});
  view.evicted = {life(9)};
  EXPECT_EQ(watched(view, 1), (Ids{2, 3, 4, 1, 9}));
  EXPECT_EQ(watched(view, 2), (Ids{3, 4, 5, 1}));
  EXPECT_EQ(watched(view, 5), (Ids{6, 9, 1, 2})) << "whoever is out counts for nothing";
}

TEST(Watching, OfAnyThatDieTogetherEachIsSeenByOneThatLives) {
  Dice dice(29);
  unsigned alone = 0;
  for (int run = 0; run < 2000; ++run) {
    Ids ids;
    std::set<PeerInstance> ended;
    std::uint64_t size = 2 + dice.below(40);
    for (std::uint64_t id = 1; id <= size; ++id) ids.push_back(id);
    for (std::uint64_t id : ids)
      if (dice.below(3) > 0) ended.insert(life(id));
    View view = group(ids);
    std::size_t most = 1 + dice.below(watched_leases);
    std::set<std::uint64_t> seen;
    for (std::uint64_t id : ids) {
      if (ended.contains(life(id))) continue;
      for (std::uint64_t each : watched(view, id, ended, most)) seen.insert(each);
    }
    bool anybody = ended.size() < ids.size();
    for (const PeerInstance& each : ended)
      ASSERT_TRUE(!anybody || seen.contains(each.id.value)) << "run " << run;
    // Its nearest watchers have died with it.
    for (std::uint64_t id = 4; id <= ids.size(); ++id)
      alone += anybody && ended.contains(life(id)) && ended.contains(life(id - 1)) &&
               ended.contains(life(id - 2)) && ended.contains(life(id - 3));
  }
  EXPECT_GT(alone, 100U);
}

TEST(Watching, WhoWatchesAnEndedLeaseProposesFirstAndNoTwoAtOnce) {
  RegisterSnapshot known{group({1, 2, 3, 4, 5, 6}), {life(5)}};
  EXPECT_EQ(proposal_rank(known, life(4)), 0U);
  EXPECT_EQ(proposal_rank(known, life(3)), 1U);
  EXPECT_EQ(proposal_rank(known, life(2)), 2U);
  EXPECT_EQ(proposal_rank(known, life(1)), 3U) << "who has heard of it otherwise comes later";
  known.ended = {life(3), life(4), life(5)};
  EXPECT_EQ(proposal_rank(known, life(2)), 0U) << "the dead do not count";
  std::set<std::size_t> ranks;
  for (std::uint64_t id : {1, 2, 6}) ranks.insert(proposal_rank(known, life(id)));
  EXPECT_EQ(ranks.size(), 3U);
}

TEST(Watching, WhoPutsOneOutMustNotSpareTheDead) {
  RegisterSnapshot known{group({1, 2, 3}), {life(2)}};
  View next = known.view;
  EXPECT_FALSE(puts_out(next, known.view));
  next.roster = known.view.roster.without(NodeId{3});
  EXPECT_TRUE(puts_out(next, known.view));
  EXPECT_TRUE(spares_the_dead(next, known));
  next.roster = next.roster.without(NodeId{2});
  EXPECT_FALSE(spares_the_dead(next, known));
}

}  // namespace conch::recovery::watching_test
