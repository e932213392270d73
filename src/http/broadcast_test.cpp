#include "http/broadcast.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace conch::http::broadcast_test {

constexpr std::size_t plenty = 1 << 16;

std::string taken(Broadcast& broadcast, Broadcast::Cursor& place) {
  std::string out;
  broadcast.take(place, out, plenty);
  return out;
}

TEST(Broadcast, WhoListensHearsAllInOrder) {
  Broadcast broadcast;
  broadcast.publish("a", "nobody hears it");
  Broadcast::Cursor place = broadcast.join();
  broadcast.publish("a", "1");
  broadcast.publish("b", "2");
  EXPECT_EQ(taken(broadcast, place), "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n");
  EXPECT_FALSE(broadcast.has_news(place));
  EXPECT_EQ(taken(broadcast, place), "");
}

TEST(Broadcast, WhoComesLaterBeginsWithWhatWasAnnounced) {
  Broadcast broadcast;
  broadcast.announce("group", "1");
  broadcast.announce("group", "2");
  Broadcast::Cursor place = broadcast.join();
  EXPECT_TRUE(broadcast.has_news(place));
  EXPECT_EQ(taken(broadcast, place), "event: group\ndata: 2\n\n");
  broadcast.retract();
  Broadcast::Cursor later = broadcast.join();
  EXPECT_EQ(taken(broadcast, later), "");
}

TEST(Broadcast, WhoIsSlowIsToldOfAGapAndDelaysNobody) {
  Broadcast broadcast(100);
  Broadcast::Cursor slow = broadcast.join();
  Broadcast::Cursor quick = broadcast.join();
  std::string heard;
  for (int i = 0; i < 50; ++i) {
    broadcast.publish("e", std::to_string(i));
    heard += taken(broadcast, quick);
  }
  EXPECT_EQ(heard.find("gap"), std::string::npos);
  EXPECT_NE(heard.find("data: 0\n"), std::string::npos);
  std::string late = taken(broadcast, slow);
  EXPECT_TRUE(late.starts_with("event: gap\ndata: {\"events\":45}\n\n")) << late;
  EXPECT_TRUE(late.ends_with("data: 49\n\n")) << late;
}

TEST(Broadcast, OneEventMayBeLargerThanTheStore) {
  Broadcast broadcast(10);
  Broadcast::Cursor place = broadcast.join();
  broadcast.publish("e", std::string(100, 'x'));
  EXPECT_EQ(taken(broadcast, place).size(), 100u + std::string("event: e\ndata: \n\n").size());
}

TEST(Broadcast, WhoPublishesWaitsForAListener) {
  Broadcast broadcast;
  bool came = false;
  std::thread publisher([&] { came = broadcast.await_listener(); });
  broadcast.join();
  publisher.join();
  EXPECT_TRUE(came);
  broadcast.leave();
  EXPECT_EQ(broadcast.listeners(), 0u);
  std::thread last([&] { came = broadcast.await_listener(); });
  broadcast.close();
  last.join();
  EXPECT_FALSE(came);
}

}  // namespace conch::http::broadcast_test
