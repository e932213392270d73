#include "watch/feed.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace conch::watch::feed_test {

using Kind = watch::Note::Kind;

const PeerInstance other{NodeId{0xab}, Incarnation{1}};

TEST(Feed, NotesAClaimFromAskingToLeaving) {
  Feed feed;
  feed.asked("deploy", Mode::write);
  feed.received(other, {"TOKEN", "deploy", 24});
  feed.entered("deploy", {Mode::write, Fence(Epoch{1}, 4), std::chrono::seconds(2), true});
  feed.left("deploy", Mode::write, std::chrono::seconds(1));
  feed.sent(other, {"TOKEN", "deploy", 24});
  Feed::Notes notes = feed.take();
  std::vector<Kind> kinds;
  for (const watch::Note& note : notes.taken) kinds.push_back(note.kind);
  EXPECT_EQ(kinds, (std::vector{Kind::request, Kind::came, Kind::enter, Kind::exit, Kind::went}));
  EXPECT_EQ(notes.left_out, 0u);
  nlohmann::ordered_json entry = json_of(notes.taken[2], notes.taken[2].at);
  EXPECT_EQ(entry["event"], "enter");
  EXPECT_EQ(entry["lock"], "deploy");
  EXPECT_EQ(entry["fence"], "1.4");
  EXPECT_EQ(entry["lasted_s"], 2.0);
  EXPECT_EQ(json_of(notes.taken[1], notes.taken[1].at)["peer"], "ab");
  EXPECT_TRUE(feed.take().taken.empty());
}

TEST(Feed, AQuestionIsNoToken) {
  Feed feed;
  feed.received(other, {"REQUEST", "deploy", 24});
  feed.received(other, {"TOKEN", "", 24});
  EXPECT_TRUE(feed.take().taken.empty());
}

TEST(Feed, WhatIsTooFastIsCountedAndFaultsAreNoted) {
  Feed feed;
  for (std::size_t i = 0; i < Feed::notes_max + 10; ++i) feed.asked("deploy", Mode::write);
  feed.suspected(other);
  feed.lost("deploy", Mode::read, std::chrono::seconds(1));
  Feed::Notes notes = feed.take();
  EXPECT_EQ(notes.taken.size(), Feed::notes_max + 2);
  EXPECT_EQ(notes.left_out, 10u);
  EXPECT_EQ(notes.taken.back().kind, Kind::lost);
  feed.asked("deploy", Mode::write);
  EXPECT_EQ(feed.take().taken.size(), 1u);
}

TEST(Feed, AnEpochHasItsMembers) {
  recovery::View view;
  view.roster = recovery::Roster({{NodeId{1}}, {NodeId{0x2a}}});
  Feed feed;
  feed.installed(Epoch{3}, view);
  Feed::Notes notes = feed.take();
  nlohmann::ordered_json json = json_of(notes.taken.at(0), notes.taken.at(0).at);
  EXPECT_EQ(json["epoch"], 3);
  EXPECT_EQ(json["members"], (nlohmann::ordered_json{"1", "2a"}));
}

}  // namespace conch::watch::feed_test
