// Tests of two peers' channels, over connections whose bytes the test carries.
#include "wire/channels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace conch::wire::channels_test {

using std::chrono::milliseconds;

constexpr PeerInstance life_a{NodeId{1}, Incarnation{1}};
constexpr PeerInstance life_b{NodeId{2}, Incarnation{1}};

/// A connection has the same number at both ends.
class Rig {
 public:
  struct Side final : Network, Recipient {
    Side(Rig& rig, const PeerInstance& life)
        : rig(rig), channels({{life, "kitchen", "ring"}, address_of(life)}, *this, *this) {}

    Dialed dial(const std::string& address, unsigned) override {
      Serial serial = ++rig.serials_;
      rig.waiting_.push_back({serial, address});
      return {{.serial = serial, .route = Route::remote, .whom = address, .is_connected = true}};
    }
    Taken write(Serial serial, std::string_view bytes, bool) override {
      rig.pipes_[{this, serial}].append(bytes);
      return {bytes.size()};
    }
    void close(Serial serial) override {
      rig.closed_ += rig.pipes_[{this, serial}];
      rig.pipes_.erase({this, serial});
    }
    void hand_over(const Connection&, const PeerInstance&) override {}
    void log(const std::string& line) override { lines.push_back(line); }

    void delivered(const PeerInstance&, std::string_view payload, Time) override {
      got.emplace_back(payload);
    }
    void contacted(const std::string&, const PeerInstance&, Time) override {}
    void broken(const PeerInstance&, const std::string& why, Time) override {
      breaks.push_back(why);
    }
    void client_came(ClientId) override {}
    void client_said(ClientId, std::string_view, Time) override {}
    void client_left(ClientId, Time) override {}

    Rig& rig;
    std::vector<std::string> lines;
    std::vector<std::string> got;
    std::vector<std::string> breaks;
    Channels channels;
  };

  Rig() {
    a.channels.know(life_b, address_of(life_b));
    b.channels.know(life_a, address_of(life_a));
  }

  static std::string address_of(const PeerInstance& life) {
    return "tcp:peer" + std::to_string(life.id.value) + ":1";
  }
  Side& other(Side& side) { return &side == &a ? b : a; }

  void send(Side& from, std::string_view payload) {
    EXPECT_TRUE(from.channels.send(&from == &a ? life_b : life_a, payload));
    from.channels.flush(now);
  }
  /// The connection that was dialed last.
  Serial newest() const { return serials_; }
  /// The side that was dialed accepts the connection.
  void accept(Serial serial) {
    auto found = std::find_if(waiting_.begin(), waiting_.end(),
                              [&](const auto& each) { return each.first == serial; });
    ASSERT_NE(found, waiting_.end());
    Side& to = found->second == address_of(life_a) ? a : b;
    waiting_.erase(found);
    to.channels.accepted({.serial = serial, .route = Route::remote, .whom = "somebody"}, now);
  }
  /// Delivers bytes that this side has written into the connection.
  void carry(Side& from, Serial serial, std::size_t most = ~std::size_t{0}) {
    auto found = pipes_.find({&from, serial});
    if (found == pipes_.end() || found->second.empty()) return;
    std::string bytes = found->second.substr(0, most);
    found->second.erase(0, bytes.size());
    other(from).channels.brought(serial, bytes, now);
  }
  void shake_hands(Side& dialer, Serial serial) {
    accept(serial);
    carry(dialer, serial);
    carry(other(dialer), serial);
  }
  /// The bytes that `act` leaves undelivered in connections that it closes.
  template <class Act>
  std::string unread_after(Act&& act) {
    closed_.clear();
    act();
    return closed_;
  }
  bool is_open(Side& side, Serial serial) const { return pipes_.contains({&side, serial}); }
  void tick(Duration passes) {
    now += passes;
    for (Side* side : {&a, &b}) side->channels.tick(now);
  }
  /// Delivers everything, for a while.
  void run() {
    for (int i = 0; i < 100; ++i) {
      while (!waiting_.empty()) accept(waiting_.front().first);
      for (Serial serial = 1; serial <= serials_; ++serial)
        for (Side* side : {&a, &b}) carry(*side, serial);
      tick(milliseconds(10));
    }
  }

  Time now{std::chrono::seconds(1)};

 private:
  std::deque<std::pair<Serial, std::string>> waiting_;
  std::map<std::pair<Side*, Serial>, std::string> pipes_;
  Serial serials_ = 0;
  std::string closed_;

 public:
  Side a{*this, life_a};
  Side b{*this, life_b};
};

TEST(Channels, BringPayloadsBothWays) {
  Rig rig;
  rig.send(rig.a, "one");
  rig.send(rig.b, "uno");
  rig.run();
  rig.send(rig.a, "two");
  rig.run();
  EXPECT_EQ(rig.b.got, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(rig.a.got, (std::vector<std::string>{"uno"}));
  EXPECT_TRUE(rig.a.channels.unacknowledged(rig.now).empty());
}

TEST(Channels, GoOnAfterAConnectionThatBrokeInsideAFrame) {
  Rig rig;
  rig.send(rig.a, "one");
  Serial first = rig.newest();
  rig.shake_hands(rig.a, first);
  rig.carry(rig.a, first, 7);
  rig.a.channels.ended(first, "reset", rig.now);
  rig.b.channels.ended(first, "", rig.now);
  rig.run();
  EXPECT_EQ(rig.b.got, (std::vector<std::string>{"one"}));
  EXPECT_TRUE(rig.a.breaks.empty());
}

/// Both have dialed. While the hello of one is on its way, the other's connection brings payloads,
/// has them acknowledged, and breaks. Then the hello is read.
TEST(Channels, AHelloThatWasLongOnItsWayBreaksNothing) {
  Rig rig;
  rig.send(rig.b, "uno");
  Serial slow = rig.newest();
  rig.send(rig.a, "one");
  Serial fast = rig.newest();
  rig.shake_hands(rig.a, fast);
  rig.carry(rig.a, fast);
  ASSERT_EQ(rig.b.got, (std::vector<std::string>{"one"}));
  rig.tick(acknowledgement_delay_max);
  rig.carry(rig.b, fast);
  rig.a.channels.ended(fast, "reset", rig.now);
  rig.send(rig.a, "two");
  rig.accept(slow);
  rig.run();
  EXPECT_TRUE(rig.a.breaks.empty()) << rig.a.breaks.front();
  EXPECT_EQ(rig.a.got, (std::vector<std::string>{"uno"}));
  EXPECT_EQ(rig.b.got, (std::vector<std::string>{"one", "two"}));
}

/// The same, before anything was acknowledged: payloads that came are sent again, and skipped.
TEST(Channels, WhatCameOverTheConnectionBeforeIsSkipped) {
  Rig rig;
  rig.send(rig.b, "uno");
  rig.run();  // Now each side has accepted the other.
  Serial shared = rig.newest();
  rig.a.channels.ended(shared, "reset", rig.now);
  rig.b.channels.ended(shared, "reset", rig.now);
  rig.tick(milliseconds(10));
  rig.send(rig.b, "due");
  Serial slow = rig.newest();
  rig.send(rig.a, "one");
  Serial fast = rig.newest();
  rig.shake_hands(rig.a, fast);
  rig.carry(rig.a, fast);
  ASSERT_EQ(rig.b.got, (std::vector<std::string>{"one"}));
  rig.a.channels.ended(fast, "reset", rig.now);
  rig.accept(slow);
  rig.run();
  EXPECT_EQ(rig.b.got, (std::vector<std::string>{"one"}));
  EXPECT_EQ(rig.a.got, (std::vector<std::string>{"uno", "due"}));
  EXPECT_TRUE(rig.a.channels.unacknowledged(rig.now).empty());
  for (const Rig::Side* side : {&rig.a, &rig.b})
    EXPECT_TRUE(side->lines.empty()) << side->lines.front();
}

TEST(Channels, WhoWasStoppedReadsWhatHasComeBeforeItHangsUp) {
  Rig rig;
  rig.send(rig.a, "one");
  Serial first = rig.newest();
  rig.accept(first);
  rig.now += std::chrono::seconds(10);
  rig.b.channels.tick(rig.now);
  rig.carry(rig.a, first);
  rig.carry(rig.b, first);
  rig.carry(rig.a, first);
  EXPECT_EQ(rig.b.got, (std::vector<std::string>{"one"}));
}

TEST(Channels, WhoSaysNothingIsHungUpOnAfterAll) {
  Rig rig;
  rig.b.channels.accepted({.serial = 9, .route = Route::remote, .whom = "somebody"}, rig.now);
  rig.tick(std::chrono::seconds(10));
  EXPECT_TRUE(rig.b.lines.empty());
  rig.tick(std::chrono::seconds(10));
  EXPECT_EQ(rig.b.lines.size(), 1u);
}

TEST(Channels, TheLastWordsOfALifeGoOut) {
  Rig rig;
  rig.send(rig.a, "one");
  rig.run();
  EXPECT_TRUE(rig.a.channels.send(life_b, "farewell"));
  std::string words = rig.unread_after([&] {
    rig.a.channels.live_as({life_a.id, Incarnation{2}}, rig.now);
  });
  EXPECT_NE(words.find("farewell"), std::string::npos);
}

TEST(Channels, WhoHasForgottenBreaksTheChannel) {
  Rig rig;
  rig.send(rig.a, "one");
  rig.run();
  rig.b.channels.forget(life_a);
  rig.a.channels.ended(rig.newest(), "", rig.now);
  rig.send(rig.a, "two");
  rig.run();
  EXPECT_EQ(rig.a.breaks, (std::vector<std::string>{"it has forgotten what it had received"}));
  EXPECT_EQ(rig.b.got, (std::vector<std::string>{"one"}));
}

TEST(Channels, WhoPosesAsAPeerIsHungUpOnWhenThePeerSpeaks) {
  Rig rig;
  rig.send(rig.a, "one");
  rig.run();
  constexpr Serial impostor = 1000;
  rig.a.channels.accepted({.serial = impostor, .route = Route::remote, .whom = "somebody"},
                          rig.now);
  std::string hello;
  put_hello(hello, {.group = "kitchen",
                    .algorithm = "ring",
                    .role = Role::peer,
                    .self = life_b,
                    .address = "tcp:peer3:1",
                    .means = life_a});
  rig.a.channels.brought(impostor, hello, rig.now);
  EXPECT_TRUE(rig.is_open(rig.a, impostor)) << rig.a.lines.size();
  rig.send(rig.b, "two");
  rig.run();
  EXPECT_EQ(rig.a.got, std::vector<std::string>{"two"});
  EXPECT_FALSE(rig.is_open(rig.a, impostor));
}

}  // namespace conch::wire::channels_test
