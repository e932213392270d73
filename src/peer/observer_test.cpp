#include "node/observer.hpp"

#include <gtest/gtest.h>

#include <conch/mutex.hpp>
#include <mutex>
#include <string>
#include <vector>

#include "core/print.hpp"
#include "peer/engine.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch::peer::observer_test {

using Lines = std::vector<std::string>;

/// Records what concerns locks, and counts the rest.
class Notebook final : public Observer {
 public:
  void installed(Epoch, const recovery::View& view) override {
    members = view.roster.size();
    ++epochs;
  }
  void suspected(const PeerInstance&) override { ++suspicions; }
  void gone() override { lines.emplace_back("gone"); }
  void asked(std::string_view lock, Mode) override { note("asked", lock); }
  void entered(std::string_view lock, const Entry& entry) override {
    note(entry.came ? "entered, came" : "entered", lock);
    fences.push_back(entry.fence);
  }
  void withdrew(std::string_view lock, Mode) override { note("withdrew", lock); }
  void left(std::string_view lock, Mode, Duration held) override {
    note("left", lock);
    EXPECT_GE(held, Duration::zero());
  }
  void lost(std::string_view lock, Mode, Duration) override { note("lost", lock); }
  void sent(const PeerInstance&, const MessageNote& each) override { talk("sent", each); }
  void received(const PeerInstance&, const MessageNote& each) override { talk("received", each); }

  Lines lines;
  std::vector<Fence> fences;
  std::size_t members = 0;
  int epochs = 0;
  int suspicions = 0;

 private:
  void note(const std::string& what, std::string_view lock) {
    lines.push_back(what + " " + std::string(lock));
  }
  void talk(const std::string& what, const MessageNote& each) {
    EXPECT_GT(each.bytes, 0u);
    if (!each.lock.empty()) note(what + " " + std::string(each.type), each.lock);
  }
};

struct Watched {
  explicit Watched(ScratchGroup& group) : peer(group.options()) {
    Guard guard = peer.engine().guard();
    peer.engine().node().watch(notebook);
  }
  Lines lines() {
    Guard guard = peer.engine().guard();
    return notebook.lines;
  }

  Notebook notebook;
  Peer peer;
};

void lock_and_unlock(Watched& at) {
  Mutex mutex(at.peer, "a");
  std::scoped_lock guard(mutex);
}

TEST(Observer, SeesAClaimFromItsAskingToItsEnd) {
  ScratchGroup group;
  Watched one(group);
  lock_and_unlock(one);
  lock_and_unlock(one);
  EXPECT_EQ(one.lines(),
            (Lines{"asked a", "entered a", "left a", "asked a", "entered a", "left a"}));
  EXPECT_EQ(one.notebook.fences.back(), one.notebook.fences.front().next());
}

TEST(Observer, SeesTheTokenCome) {
  ScratchGroup group;
  Watched one(group);
  Watched two(group);
  lock_and_unlock(one);
  lock_and_unlock(two);
  lock_and_unlock(one);
  Lines lines = one.lines();
  Lines end(lines.end() - std::min<std::ptrdiff_t>(4, std::ssize(lines)), lines.end());
  EXPECT_EQ(end, (Lines{"sent REQUEST a", "received TOKEN a", "entered, came a", "left a"}));
}

TEST(Observer, SeesWhoGivesUp) {
  ScratchGroup group;
  Watched one(group);
  Mutex mutex(one.peer, "a");
  Ticket ticket(one.peer, "a");
  std::scoped_lock guard(mutex);
  ticket.request();
  ticket.cancel();
  EXPECT_EQ(one.lines().back(), "withdrew a");
}

TEST(Observer, SeesEpochsAndTheEnd) {
  ScratchGroup group;
  Watched one(group);
  Mutex mutex(one.peer, "a");
  {
    Watched two(group);
    mutex.lock();
  }
  EXPECT_GE(one.notebook.epochs, 1);  // One is for the other peer's leaving.
  EXPECT_EQ(one.notebook.members, 1u);
  EXPECT_EQ(one.notebook.suspicions, 0);
  one.peer.leave();
  EXPECT_EQ(one.lines(), (Lines{"asked a", "entered a", "lost a", "gone"}));
}

}  // namespace conch::peer::observer_test
