// Data of a peer that was put out of its group and came back as a new life.
#include <gtest/gtest.h>

#include <conch/data.hpp>
#include <cstring>
#include <thread>

#include "peer/data_mover.hpp"
#include "peer/engine.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch::data_lives_test {

using namespace std::chrono_literals;
using peer::Guard;
using peer::ScratchGroup;

/// Waits up to 20 s for a condition.
template <class Event>
bool await(Event&& event) {
  auto until = std::chrono::steady_clock::now() + 20s;
  while (!event() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  return event();
}

std::size_t members_seen_by(Peer& peer) {
  Guard guard = peer.engine().guard();
  return peer.engine().node().group_member().view().roster.size();
}

std::size_t transfers_of(Peer& peer) {
  Guard guard = peer.engine().guard();
  return peer.engine().mover().transfers();
}

/// The peer that has the data does not answer. The one that asked is put out, comes back, starts
/// with empty data, and is inside when the transfer of its former life ends.
TEST(DataLives, ATransferOfAFormerLifeLeavesTheNextOneAlone) {
  ScratchGroup group;
  PeerOptions options = group.options();
  options.lease = 1s;
  options.listen = {"127.0.0.1:0"};
  options.tcp_only = true;
  Peer stays(options);
  Peer silent(options);
  Peer returns(options);
  Data theirs(silent, "words");
  ASSERT_EQ(theirs.request(), Outcome::ok);
  ASSERT_EQ(theirs.acquire(), Outcome::ok);
  ASSERT_EQ(theirs.resize(wire::enclosure_bytes_max + 1), Outcome::ok);

  Data data(returns, "words");
  ASSERT_EQ(data.request(), Outcome::ok);
  ASSERT_EQ(theirs.release(), Outcome::ok);
  ASSERT_TRUE(await([&] { return data.state() == HandleState::grant; }));
  Guard says_nothing = silent.engine().guard();
  EXPECT_EQ(data.acquire_until(std::chrono::steady_clock::now() + 1ms), Outcome::timed_out);
  ASSERT_TRUE(await([&] { return transfers_of(returns) == 1; }));
  {
    Guard is_stopped = returns.engine().guard();
    ASSERT_TRUE(await([&] { return members_seen_by(stays) == 1; }));
  }
  ASSERT_TRUE(await([&] { return data.state() == HandleState::lost; }));
  ASSERT_EQ(data.create("words"), Outcome::ok);
  ASSERT_EQ(data.request(), Outcome::ok);
  Outcome outcome = data.acquire();
  if (outcome == Outcome::peer_lost) outcome = data.acquire();
  ASSERT_EQ(outcome, Outcome::ok);
  ASSERT_EQ(data.resize(4), Outcome::ok);
  EXPECT_EQ(transfers_of(returns), 1U);
  says_nothing.unlock();
  ASSERT_TRUE(await([&] { return transfers_of(returns) == 0; }));
  EXPECT_EQ(data.bytes().size(), 4U);
  EXPECT_EQ(data.release(), Outcome::ok);
}

/// The peer that the lock names does not have the data, for whatever reason.
TEST(DataLives, WhoHasACopyIsAskedBeforeDataAreCalledLost) {
  ScratchGroup group;
  Peer first(group.options());
  Peer second(group.options());
  Peer third(group.options());
  Data at_first(first, "words", {.copies = 1});
  ASSERT_EQ(at_first.request(), Outcome::ok);
  ASSERT_EQ(at_first.acquire(), Outcome::ok);
  ASSERT_EQ(at_first.resize(3), Outcome::ok);
  std::memcpy(at_first.bytes().data(), "abc", 3);
  ASSERT_EQ(at_first.release(), Outcome::ok);
  auto forget = [](Peer& peer) {
    Guard guard = peer.engine().guard();
    node::Node& node = peer.engine().node();
    node.data().live_as({});
    node.data().live_as(node.self());
    node.data().follow_view(node.group_member().view(), net::steady_now());
  };
  forget(first);

  // Only `first` knew which of the others has the copy.
  for (Peer* each : {&second, &third}) {
    Data data(*each, "words");
    ASSERT_EQ(data.request(), Outcome::ok);
    ASSERT_EQ(data.acquire(), Outcome::ok);
    EXPECT_EQ(std::memcmp(data.bytes().data(), "abc", 3), 0);
    ASSERT_EQ(data.release(), Outcome::ok);
  }

  for (Peer* each : {&first, &second, &third}) forget(*each);
  ASSERT_EQ(at_first.request(), Outcome::ok);
  EXPECT_EQ(at_first.acquire(), Outcome::peer_lost) << "now they are";
  EXPECT_EQ(at_first.acquire(), Outcome::ok);
  EXPECT_EQ(at_first.bytes()[0], std::byte{0});
}

}  // namespace conch::data_lives_test
