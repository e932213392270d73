#include <gtest/gtest.h>

#include <conch/mutex.hpp>
#include <conch/ticket.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "peer/testing/scratch_group.hpp"

namespace conch::peer::observation_test {

using Lines = std::vector<std::string>;

class Notebook final : public Observer {
 public:
  void asked(std::string_view lock) override { note("asked", lock); }
  void entered(std::string_view lock, const Entry& entry) override {
    note(entry.handed_over ? "got" : "entered", lock);
    fences.push_back(entry.fence);
  }
  void withdrew(std::string_view lock) override { note("withdrew", lock); }
  void left(std::string_view lock, std::chrono::nanoseconds) override { note("left", lock); }
  void lost(std::string_view lock, std::chrono::nanoseconds) override { note("lost", lock); }
  void gone() override { note("gone", ""); }

  Lines lines() {
    std::lock_guard guard(mutex_);
    return lines_;
  }
  std::vector<std::uint64_t> fences;

 private:
  void note(const std::string& what, std::string_view lock) {
    std::lock_guard guard(mutex_);
    lines_.push_back(what + " " + std::string(lock));
  }
  std::mutex mutex_;
  Lines lines_;
};

TEST(Observation, FollowsAClaimUntilItIsDestroyed) {
  ScratchGroup group;
  Peer peer(group.options());
  Mutex mutex(peer, "a");
  Ticket ticket(peer, "a");
  Notebook notebook;
  {
    Observation observation = peer.observe(notebook);
    std::scoped_lock held(mutex);
    EXPECT_EQ(notebook.fences, std::vector{mutex.fence()});
    ticket.request();
    ticket.cancel();
  }
  std::scoped_lock unseen(mutex);
  EXPECT_EQ(notebook.lines(), (Lines{"asked a", "entered a", "asked a", "withdrew a", "left a"}));
}

TEST(Observation, SeesTheEndAndMayOutliveThePeer) {
  ScratchGroup group;
  Notebook notebook;
  std::optional<Observation> observation;
  {
    Peer peer(group.options());
    observation = peer.observe(notebook);
  }
  observation.reset();
  EXPECT_EQ(notebook.lines(), Lines{"gone "});
}

TEST(PeerStatus, SaysWhoHoldsAndWhoWaits) {
  ScratchGroup group;
  Peer one(group.options());
  Peer two(group.options());
  Mutex held(one, "a");
  Ticket waits(two, "a");
  std::scoped_lock guard(held);
  waits.request();

  GroupStatus status = one.status();
  EXPECT_EQ(status.group, "test");
  EXPECT_EQ(status.algorithm, "naimi-trehel");
  EXPECT_GT(status.epoch, 0u);
  ASSERT_EQ(status.members.size(), 2u);
  for (const GroupStatus::Member& member : status.members) EXPECT_TRUE(member.answers);
  ASSERT_EQ(status.locks.size(), 1u);
  const GroupStatus::Lock& lock = status.locks.front();
  EXPECT_EQ(lock.name, "a");
  EXPECT_EQ(lock.fence, held.fence());
  EXPECT_EQ(lock.token, one.id());
  ASSERT_EQ(lock.holders.size(), 1u);
  EXPECT_EQ(lock.holders.front().member, one.id());
  ASSERT_EQ(lock.waiters.size(), 1u);
  EXPECT_EQ(lock.waiters.front().member, two.id());
}

TEST(PeerStatus, IsRefusedAfterLeaving) {
  ScratchGroup group;
  Peer peer(group.options());
  peer.leave();
  EXPECT_THROW(peer.status(), Error);
}

}  // namespace conch::peer::observation_test
