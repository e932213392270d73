// Tests of group members without a register, over a network that is a list, with a clock that
// jumps.
#include "node/overlay_member.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace conch::node::overlay_member_test {

using namespace recovery;
using namespace std::chrono_literals;

constexpr Duration lease = 1s;

class Ring {
 public:
  explicit Ring(OverlayGroupSettings overlay_settings)
      : overlay_settings_(std::move(overlay_settings)) {}

  /// Starts a node. Nodes are spread over the ring, and each joins through the last live one.
  std::size_t start() {
    std::size_t place = nodes_.size();
    PeerInstance life{NodeId{0x9e37'79b9'7f4a'7c15 * (place + 1)}, Incarnation{1}};
    std::vector<Introduction> contacts;
    for (std::size_t i = place; i-- > 0 && contacts.empty();)
      if (!nodes_[i].dead) contacts.push_back({nodes_[i].life, address(i)});
    Node& node = nodes_.emplace_back();
    node.life = life;
    node.group_member = make_overlay_member(
        {{life.id, life.incarnation, address(place)}, overlay_settings_, contacts, place + 1});
    node.group_member->start(node.out.at(now_));
    carry_out(node);
    return place;
  }
  void start(std::size_t how_many) {
    for (std::size_t i = 0; i < how_many; ++i) {
      std::size_t place = start();
      ASSERT_TRUE(run_until([&] { return nodes_[place].admitted; })) << place;
    }
  }
  void kill(std::size_t place) { nodes_[place].dead = true; }
  void stop(std::size_t place) { kill(place); }
  /// Letters that have come meanwhile are read after the timers that are due.
  void go_on(std::size_t place) {
    Node& node = nodes_[place];
    node.dead = false;
    std::erase_if(unread_, [&](const auto& each) { return each.first.second == place; });
    node.group_member->tick(node.out.at(now_));
    carry_out(node);
    for (const Letter& letter : std::exchange(node.kept, {})) deliver(letter);
  }
  Time now() const { return now_; }
  void leave(std::size_t place) {
    nodes_[place].group_member->leave(nodes_[place].out.at(now_));
    carry_out(nodes_[place]);
  }
  void request(std::size_t place) {
    EXPECT_TRUE(nodes_[place].group_member->request("lock", {}, nodes_[place].out.at(now_)));
    carry_out(nodes_[place]);
  }
  void release(std::size_t place) {
    nodes_[place].inside = false;
    EXPECT_TRUE(nodes_[place].group_member->release("lock", {}, nodes_[place].out.at(now_)));
    carry_out(nodes_[place]);
  }
  bool enters(std::size_t place) {
    request(place);
    return run_until([&] { return nodes_[place].inside; });
  }

  template <class Predicate>
  bool run_until(Predicate&& is_so, Duration within = 20s) {
    Time until = now_ + within;
    while (!is_so() && now_ < until) step();
    return is_so();
  }
  void run_for(Duration time) {
    Time until = now_ + time;
    run_until([&] { return now_ >= until; }, time);
  }

  struct Letter {
    PeerInstance from;
    std::size_t to = 0;
    std::string payload;
  };
  struct Node {
    PeerInstance life;
    std::unique_ptr<GroupMember> group_member;
    Effects out;
    std::set<PeerInstance> known;
    bool dead = false, admitted = false, departed = false, inside = false;
    unsigned losses = 0;
    std::vector<Letter> kept;
  };
  Node& at(std::size_t place) { return nodes_[place]; }
  Duration message_delay = 1ms;

 private:
  static std::string address(std::size_t place) { return "tcp:somewhere:" + std::to_string(place); }
  std::optional<std::size_t> place_of(const PeerInstance& life) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].life == life) return i;
    return std::nullopt;
  }

  /// Delivers the next letter, or fires the next timer.
  void step() {
    Time due = letters_.empty() ? Time::max() : letters_.begin()->first;
    for (const Node& node : nodes_)
      if (!node.dead) due = std::min(due, node.group_member->wakes());
    now_ = std::max(now_ + 1us, std::min(due, now_ + 100ms));
    for (Node& node : nodes_) {
      if (node.dead || node.group_member->wakes() > now_) continue;
      node.group_member->tick(node.out.at(now_));
      carry_out(node);
    }
    while (!letters_.empty() && letters_.begin()->first <= now_) {
      Letter letter = std::move(letters_.begin()->second);
      letters_.erase(letters_.begin());
      deliver(letter);
    }
    tell_silence();
  }
  void deliver(const Letter& letter) {
    Node& to = nodes_[letter.to];
    if (to.dead) {
      unread_.try_emplace({letter.from, letter.to}, now_);
      return to.kept.push_back(letter);
    }
    to.known.insert(letter.from);
    std::string_view body = std::string_view(letter.payload).substr(1);
    EXPECT_EQ(to.group_member->receive(letter.from, body, to.out.at(now_)).fault, "");
    carry_out(to);
  }
  void tell_silence() {
    for (const auto& [channel, since] : unread_) {
      Node& sender = nodes_[*place_of(channel.first)];
      if (sender.dead || now_ - since < lease / 2) continue;
      sender.group_member->silent(nodes_[channel.second].life, now_ - since, sender.out.at(now_));
      carry_out(sender);
    }
  }
  void carry_out(Node& node) {
    Effects out = std::exchange(node.out, {});
    for (const Introduction& each : out.introductions) node.known.insert(each.life);
    for (const Effects::OutgoingMessage& outgoing_message : out.outgoing) {
      EXPECT_TRUE(node.known.contains(outgoing_message.to)) << "nobody has said where it is";
      letters_.emplace(now_ + message_delay, Letter{node.life, *place_of(outgoing_message.to),
                                                    std::string(out.payload(outgoing_message))});
    }
    for (const MemberEvent& event : out.events) {
      if (std::holds_alternative<Admitted>(event)) node.admitted = true;
      if (std::holds_alternative<Departed>(event)) node.departed = true;
      if (std::holds_alternative<LockLost>(event)) node.inside = false, ++node.losses;
      if (const auto* granted = std::get_if<Granted>(&event)) enter(node, *granted);
    }
  }
  void enter(Node& node, const Granted& granted) {
    for (const Node& other : nodes_) EXPECT_FALSE(other.inside && !other.dead);
    EXPECT_GT(granted.baton.fence, last_);
    last_ = granted.baton.fence;
    node.inside = true;
  }

  OverlayGroupSettings overlay_settings_;
  Time now_{1s};
  std::deque<Node> nodes_;
  std::multimap<Time, Letter> letters_;
  std::map<std::pair<PeerInstance, std::size_t>, Time> unread_;
  Fence last_;
};

class OverlayMemberTest : public ::testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  Ring ring_{OverlayGroupSettings{GetParam().first, GetParam().second, 5, lease}};
};

/// Several replicas are then at one node.
TEST_P(OverlayMemberTest, OneAloneTwoAndThreeTakeTurns) {
  for (std::size_t peers = 1; peers <= 3; ++peers) {
    ring_.start(1);
    for (std::size_t i = 0; i < peers; ++i) {
      ASSERT_TRUE(ring_.enters(i)) << i << " of " << peers;
      ring_.release(i);
    }
  }
}

TEST_P(OverlayMemberTest, WhoWaitsForADeadHolderEnters) {
  ring_.start(8);
  ring_.run_for(3 * lease);
  ASSERT_TRUE(ring_.enters(2));
  ring_.request(5);
  ring_.run_for(lease / 4);
  ring_.kill(2);
  EXPECT_TRUE(ring_.run_until([&] { return ring_.at(5).inside; }));
}

/// Nobody should have to wait for a dead waiter's lease. The votes for dead waiters run out.
TEST_P(OverlayMemberTest, DeadWaitersArePassedBy) {
  ring_.start(16);
  ring_.run_for(3 * lease);
  ASSERT_TRUE(ring_.enters(2));
  for (std::size_t i : {3, 4, 6}) {
    ring_.request(i);
    ring_.run_for(lease / 8);
  }
  for (std::size_t i : {3, 4}) ring_.kill(i);
  ring_.run_for(2 * lease);
  ring_.release(2);
  Duration within = GetParam().first == "end-to-end" ? lease : 4 * lease;
  EXPECT_TRUE(ring_.run_until([&] { return ring_.at(6).inside; }, within));
}

TEST_P(OverlayMemberTest, ALeaverHandsItsReplicasOn) {
  ring_.start(8);
  ring_.run_for(3 * lease);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(ring_.enters(i));
    ring_.release(i);
    ring_.leave(i);
    EXPECT_TRUE(ring_.run_until([&] { return ring_.at(i).departed; }));
    ring_.kill(i);
  }
  EXPECT_TRUE(ring_.enters(6));
}

/// All peers that remember the lock die, one after the other, while nobody asks for it.
TEST_P(OverlayMemberTest, FencesIncreaseThoughOneAfterTheOtherForgets) {
  ring_.start(4);
  ring_.run_for(3 * lease);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(ring_.enters(i));
    ring_.release(i);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    ring_.start(1);
    ring_.kill(i);
    ring_.run_for(6 * lease);
  }
  EXPECT_TRUE(ring_.enters(5)) << "and `enter` compares the fences";
}

TEST_P(OverlayMemberTest, FencesIncreaseThoughTheOnlyOneForgets) {
  for (std::size_t i = 0; i < 3; ++i) {
    ring_.start(1);
    ASSERT_TRUE(ring_.enters(i));
    ring_.kill(i);
    ring_.run_for(1ms);
  }
}

/// The holder learns of the loss before anything else.
TEST_P(OverlayMemberTest, AHolderThatWasStoppedHasLostTheLockAndStaysIn) {
  ring_.start(8);
  ring_.run_for(3 * lease);
  ASSERT_TRUE(ring_.enters(1));
  ring_.stop(1);
  ASSERT_TRUE(ring_.enters(4));
  EXPECT_FALSE(ring_.at(1).group_member->has_lease(ring_.now()));
  ring_.go_on(1);
  EXPECT_EQ(ring_.at(1).losses, 1u);
  ring_.release(4);
  EXPECT_EQ(ring_.at(1).group_member->stage(), ViewStage::working);
  EXPECT_TRUE(ring_.enters(1));
}

/// A node to which nobody answers takes itself for the root of every key. It must not let itself
/// hold the lock for ever.
TEST_P(OverlayMemberTest, AHolderThatIsCutOffLosesTheLock) {
  ring_.start(8);
  ring_.run_for(3 * lease);
  ASSERT_TRUE(ring_.enters(1));
  ring_.message_delay = 100 * lease;
  EXPECT_TRUE(ring_.run_until([&] { return ring_.at(1).losses == 1; }, 3 * lease));
}

/// Nobody has to wait for a timer as long as nothing fails.
TEST_P(OverlayMemberTest, EightWhoWantItAgainAndAgainTakeTurns) {
  ring_.start(8);
  ring_.run_for(3 * lease);
  for (std::size_t i = 0; i < 8; ++i) ring_.request(i);
  std::array<unsigned, 8> entries{};
  auto turn = [&] {
    for (std::size_t i = 0; i < 8; ++i) {
      if (!ring_.at(i).inside) continue;
      ++entries[i];
      ring_.release(i);
      ring_.request(i);
    }
    return false;
  };
  ring_.run_until(turn, 5 * lease);
  for (unsigned each : entries) EXPECT_GT(each, 10u);
}

/// No peer has a list of all members.
TEST_P(OverlayMemberTest, TheViewIsItselfAndItsNeighbours) {
  ring_.start(24);
  ring_.run_for(3 * lease);
  const GroupMember& group_member = *ring_.at(3).group_member;
  EXPECT_FALSE(group_member.has_roster());
  EXPECT_TRUE(group_member.view().roster.contains(ring_.at(3).life));
  EXPECT_GT(group_member.view().roster.size(), 8u);
  EXPECT_LT(group_member.view().roster.size(), 24u);
}

/// A lock whose replica is here is kept.
TEST_P(OverlayMemberTest, WhatNobodyNeedsIsForgotten) {
  ring_.start(8);
  ring_.run_for(3 * lease);
  ASSERT_TRUE(ring_.enters(1));
  ring_.release(1);
  ring_.run_for(6 * lease);
  std::size_t keep = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    ring_.at(i).group_member->forget_idle(ring_.now());
    keep += ring_.at(i).group_member->reports(Time{}).size();
  }
  EXPECT_GE(keep, 3u);
  EXPECT_LT(keep, 8u);
}

INSTANTIATE_TEST_SUITE_P(All, OverlayMemberTest,
                         ::testing::Values(std::pair("end-to-end", "pastry"),
                                           std::pair("end-to-end", "chord"),
                                           std::pair("sigma", "pastry"),
                                           std::pair("non-end-to-end", "chord")),
                         [](const auto& info) {
                           std::string name = info.param.first + "_" + info.param.second;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(OverlayGroupSettings, IsWrittenAsItIsRead) {
  OverlayGroupSettings overlay_settings{"sigma", "chord", 7, 1500ms};
  EXPECT_EQ(text_of(overlay_settings), "sigma/chord/7/1500ms");
  EXPECT_EQ(parse_overlay_settings("sigma/chord/7/1500ms"), overlay_settings);
  for (const char* text : {"naimi-trehel", "sigma/chord/7", "sigma/ring/7/5ms", "sigma/chord/0/5ms",
                           "sigma/chord/37/5ms", "sigma/chord/x/5ms", "elmp/chord/7/5ms", ""})
    EXPECT_FALSE(parse_overlay_settings(text)) << text;
}

TEST(OverlayGroupSettings, WhoInsistsOnSomethingElseIsToldWhatTheGroupHas) {
  OverlayGroupSettings there{"sigma", "chord", 7, 5s};
  EXPECT_NO_THROW(expect_overlay_settings({"", "", {}}, there, "here"));
  EXPECT_NO_THROW(expect_overlay_settings({"sigma", "chord", 7}, there, "here"));
  EXPECT_ANY_THROW(expect_overlay_settings({"end-to-end", "", {}}, there, "here"));
  EXPECT_ANY_THROW(expect_overlay_settings({"", "pastry", {}}, there, "here"));
  EXPECT_ANY_THROW(expect_overlay_settings({"", "", 5}, there, "here"));
}

}  // namespace conch::node::overlay_member_test
