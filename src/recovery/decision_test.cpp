#include "recovery/decision.hpp"

#include <gtest/gtest.h>

namespace conch::recovery::decision_test {

using std::chrono::seconds;

constexpr Wish write{};
constexpr Wish read{Mode::read, {}};

PeerInstance life(std::uint64_t id, std::uint64_t incarnation = 1) {
  return {NodeId{id}, Incarnation{incarnation}};
}
Roster roster(std::initializer_list<PeerInstance> lives) {
  std::vector<Member> members;
  for (const PeerInstance& each : lives) members.push_back({each.id, each.incarnation, "", false});
  return Roster(members);
}
DataRef data(std::uint64_t version, std::uint64_t at) { return {version, 8, NodeId{at}}; }

/// What one peer says of the one lock of these tests.
struct Said {
  LockReport report{"a", {}, {}, {}, false, {}};
  Said& holds(const Wish& wish, Fence fence) {
    report.held = HoldReport{wish, fence};
    return *this;
  }
  Said& waits(const Wish& wish, Duration waited) {
    report.waits = WaitReport{wish, waited};
    return *this;
  }
  Said& knows(Fence fence, const DataRef& newest) {
    report.known = {fence, newest};
    return *this;
  }
  Said& has(const DataRef& copy) {
    report.copy = copy;
    return *this;
  }
  operator LockReports() const { return {report}; }
};

LockAssignment decision(const Roster& members, const std::map<PeerInstance, LockReports>& reports) {
  LockAssignments all = decide(members, reports);
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? LockAssignment{} : all.front();
}

Fence fence(std::uint32_t epoch, std::uint64_t count) { return {Epoch{epoch}, count}; }

TEST(Decision, AHolderGoesOnHolding) {
  auto lock = decision(roster({life(1), life(2)}),
                       {{life(1), Said().holds(write, fence(3, 7))}, {life(2), Said()}});
  EXPECT_EQ(lock.holders, (std::vector<NodeClaim>{{NodeId{1}, write}}));
  EXPECT_TRUE(lock.waiters.empty());
}

TEST(Decision, IsTheSameWithoutBlankReports) {
  Said entered = Said().knows(fence(3, 9), {});
  Said wrote = Said().knows(fence(3, 7), data(4, 2)).has(data(4, 2));
  ASSERT_TRUE(entered.report.is_blank());
  ASSERT_FALSE(wrote.report.is_blank());
  Roster members = roster({life(1), life(2)});
  std::vector<Said> others{Said().holds(write, fence(3, 8)), Said().waits(write, seconds(1)), wrote,
                           Said().knows(fence(3, 7), data(4, 3))};
  for (const Said& other : others)
    EXPECT_EQ(decide(members, {{life(1), LockReports{}}, {life(2), other}}),
              decide(members, {{life(1), Said()}, {life(2), other}}));
  EXPECT_TRUE(decide(members, {{life(1), entered}, {life(2), Said()}}).empty());
}

TEST(Decision, WhoHasWaitedLongestComesFirst) {
  auto lock =
      decision(roster({life(1), life(2), life(3)}), {{life(1), Said().waits(write, seconds(1))},
                                                     {life(2), Said().waits(write, seconds(3))},
                                                     {life(3), Said().waits(read, seconds(2))}});
  EXPECT_EQ(lock.waiters,
            (std::vector<NodeClaim>{{NodeId{2}, write}, {NodeId{3}, read}, {NodeId{1}, write}}));
}

TEST(Decision, ReadersHoldTogether) {
  auto lock = decision(roster({life(1), life(2)}), {{life(1), Said().holds(read, fence(1, 1))},
                                                    {life(2), Said().holds(read, fence(1, 1))}});
  EXPECT_EQ(lock.holders.size(), 2U);
}

TEST(Decision, OfTwoWhoCannotBothBeRightTheLaterOneIs) {
  auto lock = decision(roster({life(1), life(2)}), {{life(1), Said().holds(write, fence(1, 1))},
                                                    {life(2), Said().holds(write, fence(1, 2))}});
  EXPECT_EQ(lock.holders, (std::vector<NodeClaim>{{NodeId{2}, write}}));
}

TEST(Decision, WhoIsOffTheRosterHoldsNothing) {
  EXPECT_TRUE(
      decide(roster({life(2)}), {{life(1), Said().holds(write, fence(1, 1))}, {life(2), Said()}})
          .empty());
}

TEST(Decision, ALockThatNobodyRemembersIsLeftOut) {
  EXPECT_TRUE(decide(roster({life(1)}), {{life(1), Said().knows(fence(9, 9), {})}}).empty());
}

TEST(Decision, TheNewestDataAreWhereTheyWereLeft) {
  auto lock = decision(roster({life(1), life(2)}),
                       {{life(1), Said().knows(fence(1, 4), data(4, 1)).has(data(4, 1))},
                        {life(2), Said().knows(fence(1, 5), data(5, 2)).has(data(5, 2))}});
  EXPECT_EQ(lock.data, data(5, 2));
  EXPECT_FALSE(lock.rolled_back);
}

TEST(Decision, IfTheirPlaceIsGoneSomebodyMayHaveACopy) {
  auto lock = decision(roster({life(1), life(2)}),
                       {{life(1), Said().knows(fence(1, 5), data(5, 9)).has(data(5, 9))},
                        {life(2), Said().knows(fence(1, 3), data(3, 2)).has(data(3, 2))}});
  EXPECT_EQ(lock.data, data(5, 1));
  EXPECT_FALSE(lock.rolled_back);
}

TEST(Decision, ACopyCountsThoughNobodyHasHeardOfItsVersion) {
  auto members = roster({life(1), life(2)});
  auto lock = decision(members, {{life(1), Said()}, {life(2), Said().has(data(5, 3))}});
  EXPECT_EQ(lock.data, data(5, 2)) << "its writer, 3, died before anybody else was in";
  EXPECT_FALSE(lock.rolled_back);
}

TEST(Decision, AnOldCopyDoesNotCountIfThereIsNothingSince) {
  DataRef nothing{6, 0, std::nullopt};
  auto lock = decision(roster({life(1), life(2)}), {{life(1), Said().knows(fence(1, 6), nothing)},
                                                    {life(2), Said().has(data(5, 3))}});
  EXPECT_EQ(lock.data, nothing);
  EXPECT_FALSE(lock.rolled_back);
}

/// Version 6 died with its writer. Version 5 was empty, and version 4 must not come back.
TEST(Decision, WhatWasEmptiedStaysEmptyIfSomethingNewerIsLost) {
  auto lock = decision(roster({life(1), life(2)}),
                       {{life(1), Said().knows(fence(1, 5), {5, 0, std::nullopt})},
                        {life(2), Said().knows(fence(1, 6), data(6, 3)).has(data(4, 2))}});
  EXPECT_EQ(lock.data, (DataRef{5, 0, std::nullopt}));
  EXPECT_TRUE(lock.rolled_back);
}

TEST(Decision, IfNobodyHasThemTheNextHolderIsTold) {
  auto lock = decision(roster({life(1), life(2)}),
                       {{life(1), Said().knows(fence(1, 5), data(5, 9)).has(data(4, 1))},
                        {life(2), Said().knows(fence(1, 3), data(3, 2)).has(data(3, 2))}});
  EXPECT_EQ(lock.data, data(4, 1));
  EXPECT_TRUE(lock.rolled_back);
}

TEST(Decision, ThatDataWereLostIsNotForgottenBeforeSomebodyHasWritten) {
  LockReport told = Said().knows(fence(2, 0), data(4, 1)).has(data(4, 1)).report;
  told.rolled_back = true;
  EXPECT_TRUE(decision(roster({life(1), life(2)}), {{life(1), {told}}, {life(2), {}}}).rolled_back);
  LockReports written = Said().knows(fence(2, 1), data(5, 2)).has(data(5, 2));
  EXPECT_FALSE(
      decision(roster({life(1), life(2)}), {{life(1), {told}}, {life(2), written}}).rolled_back);
}

TEST(Decision, APeerThatStartedAgainHasNoDataThoughItsIdIsTheirPlace) {
  auto lock = decision(
      roster({life(1), life(2, 2)}),
      {{life(1), Said().knows(fence(1, 5), data(5, 2)).has(data(4, 1))}, {life(2, 2), {}}});
  EXPECT_EQ(lock.data, data(4, 1));
  EXPECT_TRUE(lock.rolled_back);
}

// Found once by `conch survive central --seed 24`: node 5 released while frozen, and the epoch that
// it had not installed had a larger fence.
TEST(Decision, WhatWasReleasedWhileFrozenIsNewerThanAnEpochThatOthersHaveInstalled) {
  auto lock = decision(roster({life(1), life(5)}),
                       {{life(1), Said().knows(fence(2, 0), data(3, 1)).has(data(3, 1))},
                        {life(5), Said().knows(fence(1, 1), data(4, 5)).has(data(4, 5))}});
  EXPECT_EQ(lock.data, data(4, 5));
}

TEST(Decision, WhatNoDeciderWouldSayIsRecognized) {
  Members founders{NodeId{1}, NodeId{2}};
  NodeClaim one{NodeId{1}, write};
  NodeClaim two{NodeId{2}, write};
  auto sound = [&](std::vector<NodeClaim> holders, std::vector<NodeClaim> waiters) {
    return is_sound(LockAssignments{{"a", holders, waiters, {}, false}}, founders);
  };
  EXPECT_TRUE(sound({one}, {two}));
  EXPECT_TRUE(sound({{NodeId{1}, read}, {NodeId{2}, read}}, {}));
  EXPECT_FALSE(sound({one, two}, {})) << "two write";
  EXPECT_FALSE(sound({one}, {one})) << "twice";
  EXPECT_FALSE(sound({}, {{NodeId{3}, write}})) << "a stranger";
  LockAssignment lock{"a", {one}, {}, {}, false};
  EXPECT_FALSE(is_sound(LockAssignments{lock, lock}, founders));
}

TEST(Decision, WhatNoPeerWouldReportIsRecognized) {
  LockReport report = Said().holds(write, fence(1, 1)).report;
  EXPECT_TRUE(is_sound(LockReports{report}));
  EXPECT_FALSE(is_sound(LockReports{report, report}));
  EXPECT_FALSE(is_sound(Said().holds(write, fence(1, 1)).waits(write, seconds(1))));
}

}  // namespace conch::recovery::decision_test
