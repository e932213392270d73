#include <gtest/gtest.h>
#include <poll.h>

#include <conch/error.hpp>
#include <future>

#include "net/client_link.hpp"
#include "net/testing/raw.hpp"
#include "net/testing/station.hpp"

namespace conch::net::testing::client_test {

class Clients : public Group {
 protected:
  /// Runs a blocking call in another thread while the station works.
  template <class Deed>
  auto while_serving(Station& station, Deed&& deed) {
    auto result = std::async(std::launch::async, deed);
    EXPECT_TRUE(settle({&station},
                       [&] { return result.wait_for(seconds(0)) == std::future_status::ready; }));
    return result.get();
  }
  std::unique_ptr<ClientLink> connect(Station& station, const std::string& group = "kitchen") {
    return while_serving(station, [this, group] {
      return std::make_unique<ClientLink>(folder.file("1.sock"), group);
    });
  }
};

TEST_F(Clients, TalkBothWays) {
  Station a(options(1));
  auto link = connect(a);
  ASSERT_EQ(a.clients.size(), 1u);
  ClientId client = a.clients.front();
  while_serving(a, [&] {
    link->send("lock");
    link->send(std::string(3'000'000, 'x'));
    return true;
  });
  EXPECT_TRUE(settle({&a}, [&] { return a.said[client].size() == 2; }));
  EXPECT_EQ(a.said[client].front(), "lock");
  EXPECT_EQ(a.said[client].back().size(), 3'000'000u);

  a.transport.send(client, "granted");
  a.transport.send(client, "lost");
  a.turn();
  EXPECT_EQ(link->receive(), "granted");
  EXPECT_EQ(link->receive(), "lost");
  EXPECT_EQ(link->receive(steady_now() + milliseconds(5)), std::nullopt);
}

TEST_F(Clients, AreMissedWhenTheyGo) {
  Station a(options(1));
  auto link = connect(a);
  link->send("good bye");
  link.reset();
  EXPECT_TRUE(settle({&a}, [&] { return !a.left.empty(); }));
  EXPECT_EQ(a.left, a.clients);
  EXPECT_EQ(a.said[a.clients.front()], std::vector<std::string>{"good bye"});
  a.transport.send(a.clients.front(), "too late");
  a.turn();
}

TEST_F(Clients, AreDismissedAfterWhatTheyWereTold) {
  Station a(options(1));
  auto link = connect(a);
  a.transport.send(a.clients.front(), "that was all");
  a.transport.dismiss(a.clients.front());
  a.turn();
  EXPECT_EQ(a.left, a.clients);
  EXPECT_EQ(link->receive(), "that was all");
  EXPECT_THROW(link->receive(), Error);
}

TEST_F(Clients, WakeWhoPollsTheirDescriptor) {
  Station a(options(1));
  auto link = connect(a);
  a.transport.send(a.clients.front(), "x");
  a.transport.flush();
  pollfd one{link->descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&one, 1, 10'000), 1);
}

TEST_F(Clients, StayWhenThePeerBeginsANewLife) {
  Station a(options(1));
  auto link = connect(a);
  a.transport.live_as(life(1, 2));
  a.transport.send(a.clients.front(), "still here");
  a.turn();
  EXPECT_EQ(link->receive(), "still here");
}

TEST_F(Clients, LearnWhyTheyAreNotServed) {
  Station a(options(1));
  try {
    connect(a, "cellar");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("this peer belongs to the group \"kitchen\""),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(ClientLink(folder.file("nobody.sock"), "kitchen"), Error);
  EXPECT_TRUE(a.clients.empty());
}

TEST_F(Clients, LearnThatThePeerHasGone) {
  auto a = std::make_unique<Station>(options(1));
  auto link = connect(*a);
  a.reset();
  EXPECT_THROW(link->receive(), Error);
}

TEST_F(Clients, ThatDoNotReadAreDropped) {
  Station a(options(1));
  auto link = connect(a);
  std::string large(1'000'000, 'x');
  for (int i = 0; i < 50; ++i) {
    a.transport.send(a.clients.front(), large);
    a.turn();
  }
  EXPECT_EQ(a.left, a.clients);
  EXPECT_TRUE(a.has_logged("it does not read what is sent to it"));
}

}  // namespace conch::net::testing::client_test
