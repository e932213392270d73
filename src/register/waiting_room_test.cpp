#include "register/waiting_room.hpp"

#include <gtest/gtest.h>

#include "recovery/proposals.hpp"
#include "register/file_register.hpp"
#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch {

using recovery::Newcomer;
using recovery::View;
using recovery::Waiting;

Newcomer newcomer(const PeerInstance& life) {
  return {{life.id, life.incarnation, "here", false}, "naimi-trehel", 0};
}

struct Peer {
  Peer(const std::string& folder, const PeerInstance& life) : self(life), reg(folder) {
    reg.attach(life);
  }
  PeerInstance self;
  FileRegister reg;
};

TEST(WaitingRoom, TheFirstNewcomerKnowsAllOthersAndTheOthersThatTheyAreBehind) {
  ScratchFolder scratch;
  Peer first(scratch.path(), life(1));
  Peer second(scratch.path(), life(2));
  Peer third(scratch.path(), life(3));
  for (Peer* each : {&second, &first, &third}) each->reg.announce(newcomer(each->self));
  Waiting waiting = first.reg.waiting();
  EXPECT_FALSE(waiting.is_behind);
  EXPECT_EQ(waiting.newcomers, (std::vector{newcomer(life(2)), newcomer(life(3))}));
  EXPECT_EQ(waiting.view_age, Duration::max()) << "there is no view yet";
  EXPECT_TRUE(second.reg.waiting().is_behind);
  EXPECT_TRUE(third.reg.waiting().is_behind);
}

TEST(WaitingRoom, ANewcomerThatHasDiedIsPassedOver) {
  ScratchFolder scratch;
  auto first = std::make_unique<Peer>(scratch.path(), life(1));
  Peer second(scratch.path(), life(2));
  first->reg.announce(newcomer(life(1)));
  second.reg.announce(newcomer(life(2)));
  EXPECT_TRUE(second.reg.waiting().is_behind);
  first.reset();
  EXPECT_FALSE(second.reg.waiting().is_behind);
  EXPECT_TRUE(second.reg.waiting().newcomers.empty());
}

TEST(WaitingRoom, WhoIsTakenAlongHasALeaseAndWaitsNoLonger) {
  ScratchFolder scratch;
  Peer first(scratch.path(), life(1));
  Peer second(scratch.path(), life(2));
  for (Peer* each : {&first, &second}) each->reg.announce(newcomer(each->self));
  EXPECT_FALSE(second.reg.renew(life(2))) << "no view has it yet";
  View view = after({}, life(1), {life(1), life(2)});
  ASSERT_TRUE(first.reg.propose(view).accepted);
  EXPECT_TRUE(second.reg.renew(life(2)));
  EXPECT_FALSE(second.reg.waiting().is_behind);
  Peer third(scratch.path(), life(3));
  third.reg.announce(newcomer(life(3)));
  EXPECT_FALSE(third.reg.waiting().is_behind);
  EXPECT_LT(third.reg.waiting().view_age, std::chrono::minutes(1));
}

TEST(WaitingRoom, TheFirstLeaverKnowsTheOthers) {
  ScratchFolder scratch;
  Peer first(scratch.path(), life(1));
  Peer second(scratch.path(), life(2));
  Peer third(scratch.path(), life(3));
  for (Peer* each : {&first, &second, &third}) each->reg.announce(newcomer(each->self));
  ASSERT_TRUE(first.reg.propose(after({}, life(1), {life(1), life(2), life(3)})).accepted);
  second.reg.announce_leave(life(2));
  third.reg.announce_leave(life(3));
  EXPECT_EQ(second.reg.waiting().leavers, std::vector{life(3)});
  EXPECT_TRUE(third.reg.waiting().is_behind);
  EXPECT_TRUE(first.reg.waiting().leavers.empty()) << "it does not leave";
  View view = after(second.reg.read().view, life(2), {life(1)}, {life(3)});
  ASSERT_TRUE(second.reg.propose(view).accepted);
  first.reg.announce_leave(life(1));
  EXPECT_TRUE(first.reg.waiting().leavers.empty()) << "they have left";
}

TEST(WaitingRoom, WhatCannotBeReadIsLeftOut) {
  ScratchFolder scratch;
  Peer first(scratch.path(), life(1));
  Peer second(scratch.path(), life(2));
  for (Peer* each : {&first, &second}) each->reg.announce(newcomer(each->self));
  file::Directory root(scratch.path());
  root.remove("joining/life.2.1");
  root.create("joining/life.2.1", "nonsense");
  EXPECT_TRUE(first.reg.waiting().newcomers.empty());
}

TEST(FileRegister, AViewThatPutsOneOutMustPutOutAllThatAreDead) {
  ScratchFolder scratch;
  FileRegister mine(scratch.path());
  std::vector<PeerInstance> all;
  for (std::uint64_t id = 1; id <= 8; ++id) all.push_back(life(id));
  mine.attach(life(1));
  View view = after({}, life(1), all);
  ASSERT_TRUE(mine.propose(view).accepted);
  FileRegister other(scratch.path());
  other.end(life(3));
  other.end(life(7));
  EXPECT_EQ(mine.read().ended, std::vector{life(3)}) << "another one watches the seventh";
  View half = after(view, life(1), {life(1), life(2), life(4), life(5), life(6), life(7), life(8)});
  ProposalResult refused = mine.propose(half);
  EXPECT_FALSE(refused.accepted);
  EXPECT_EQ(refused.snapshot.ended, (std::vector{life(3), life(7)}));
  View whole = after(view, life(1), {life(1), life(2), life(4), life(5), life(6), life(8)});
  EXPECT_TRUE(mine.propose(whole).accepted);
}

}  // namespace conch
