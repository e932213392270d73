// Tests peers at two places with a long wire between them: they find out by themselves which of
// them are near.
#include <gtest/gtest.h>

#include <algorithm>
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cli/slow_wire.hpp"
#include "net/scratch_folder.hpp"
#include "peer/engine.hpp"

namespace conch::places_test {

constexpr std::size_t peers_of_place = 2;
constexpr std::size_t places = 2;

class Places : public ::testing::Test {
 protected:
  Places() {
    for (std::size_t i = 0; i < places * peers_of_place; ++i)
      addresses_.push_back(wire_.add_peer());
    workers_.begin([&] { wire_.run(); });
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      ids_.push_back(NodeId{peers_.emplace_back(std::make_unique<Peer>(options(i)))->id()});
  }

  PeerOptions options(std::size_t peer) const {
    std::string place = std::to_string(peer / peers_of_place);
    PeerOptions options;
    options.algorithm = "preempt-aggregation";
    options.cluster = "auto";
    options.listen = {addresses_[peer].listen};
    options.advertise = addresses_[peer].advertise;
    if (peer >= peers_of_place) options.join = {addresses_[0].advertise};
    options.state_directory = folder_.file(place + "/state");
    return options;
  }

  /// The clusters in the view of a peer, place by place.
  std::vector<std::string> labels(Peer& peer) const {
    peer::Guard guard = peer.engine().guard();
    const recovery::Roster& roster = peer.engine().node().group_member().view().roster;
    std::vector<std::string> all;
    for (NodeId id : ids_)
      if (const recovery::Member* member = roster.find(id)) all.push_back(member->cluster);
    return all;
  }
  bool are_grouped_by_place(Peer& peer) const {
    std::vector<std::string> all = labels(peer);
    if (all.size() != places * peers_of_place) return false;
    return all[0] == all[1] && all[2] == all[3] && all[0] != all[2];
  }

  cli::SlowWire wire_{std::chrono::milliseconds(20)};
  std::vector<cli::SlowWire::PeerAddresses> addresses_;
  ScratchFolder folder_;
  cli::WorkerProcesses workers_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<NodeId> ids_;
};

TEST_F(Places, WhoIsNearIsMeasuredAndAgreedOn) {
  workers_.await(
      [&] {
        return std::all_of(peers_.begin(), peers_.end(),
                           [&](const auto& peer) { return are_grouped_by_place(*peer); });
      },
      std::chrono::seconds(30), "the peers did not group themselves by place");
  for (const auto& peer : peers_) {
    Mutex mutex(*peer, "a");
    std::scoped_lock guard(mutex);
    EXPECT_TRUE(mutex.holds());
  }
}

}  // namespace conch::places_test
