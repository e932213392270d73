// Tests of what `conch survive` does not reach, because its nodes run among well-behaved ones.
#include "node/node.hpp"

#include <gtest/gtest.h>

#include "catalog/catalog.hpp"

namespace conch::node::node_test {

/// A world and a network in which nothing happens.
class Nowhere final : public World, public wire::Network {
 public:
  std::shared_ptr<Block> make_block(std::uint64_t) override { return nullptr; }
  void log(const std::string&, LogLevel) override {}
  void begin(Transfer) override {}
  void abort(std::uint64_t) override {}
  void count_data(std::uint64_t, std::uint64_t) override {}
  void save_data(const std::string&, Block&) override {}
  void forget_saved(const std::string&) override {}
  std::vector<std::string> saved_locks() override { return {}; }
  std::shared_ptr<Block> load_data(const std::string&, std::uint64_t) override { return nullptr; }
  bool let_in(ClientId, std::string_view) override { return false; }
  wire::ClientProcess process_of(ClientId) const override { return {}; }
  Incarnation draw_incarnation(Incarnation before) override { return before; }
  void begin_life(const PeerInstance&) override {}
  void end_life(const PeerInstance&) override {}
  void ask(const PeerInstance&, recovery::RegisterRequest ask) override {
    asked.push_back(std::move(ask));
  }
  void show_lease(Time, Duration) override {}
  void end_lease() override {}
  void phase_changed() override {}
  void roster_changed(const recovery::View&) override {}
  void keep_house() override {}
  Duration draw(Duration least, Duration) override { return least; }
  wire::ClientProcess process() const override { return {}; }
  std::string command() const override { return ""; }
  std::string host() const override { return ""; }
  Fence fence_floor() const override { return {}; }

  Dialed dial(const std::string&, unsigned) override { return {{}, "nobody is there"}; }
  Taken write(wire::Serial, std::string_view, bool) override { return {}; }
  void close(wire::Serial) override {}
  void hand_over(const wire::Connection&, const PeerInstance&) override {}
  void log(const std::string&) override {}

  /// What the node has asked the register.
  std::vector<recovery::RegisterRequest> asked;
};

/// The node has asked a peer for the lease terms, and that peer may say anything instead.
TEST(Node, WhoHasNoLifeYetHearsTheTermsAlone) {
  Nowhere world;
  Node node({.group = "default",
             .algorithm = &find_algorithm("naimi-trehel"),
             .self = {NodeId{1}, Incarnation{1}},
             .join = {"127.0.0.1:4711"}},
            world, world);
  node.seek({});
  PeerInstance other{NodeId{2}, Incarnation{1}};
  wire::Recipient& recipient = node;
  auto say = [&](PayloadKind kind, const auto& m) {
    recipient.delivered(other, packed(kind, m), {});
    node.settle({});
  };
  say(PayloadKind::status_ask, StatusAsk{1});
  say(PayloadKind::claims_ask, ClaimsAsk{1, "deploy"});
  say(PayloadKind::vacate, Vacate{1, "deploy"});
  say(PayloadKind::vacated, Vacated{1, 1, false});
  say(PayloadKind::hurry, Hurry{});
  say(PayloadKind::ping, Ping{1});
  say(PayloadKind::pong, Pong{1});
  say(PayloadKind::distances, Distances{{{NodeId{1}, Duration(1)}}});
  say(PayloadKind::status_part, StatusPart{});
  say(PayloadKind::claims_part, ClaimsPart{});
  say(PayloadKind::terms_ask, TermsAsk{});
  EXPECT_FALSE(node.has_terms());
  say(PayloadKind::terms, recovery::LeaseTerms{});
  EXPECT_TRUE(node.has_terms());
}

/// A channel may break before the peer has a life: its first life has the same channels.
TEST(Node, SuspectsAMemberThatItCouldNotReachBeforeItsFirstLife) {
  Nowhere world;
  recovery::Member other{NodeId{2}, Incarnation{1}, "tcp:elsewhere:4711"};
  Node node({.group = "default",
             .algorithm = &find_algorithm("naimi-trehel"),
             .self = {NodeId{1}, Incarnation{1}},
             .has_register = true},
            world, world);
  static_cast<wire::Recipient&>(node).broken(other.life(), "it makes no sense", Time{});
  Time now{};
  node.start(now);
  node.settle(now);
  // The register lets it in beside the other one, and knows of no lease that has ended.
  recovery::RegisterSnapshot snapshot;
  snapshot.view.number = 1;
  snapshot.view.epoch = Epoch{1};
  snapshot.view.algorithm = "naimi-trehel";
  snapshot.view.decider = other.life();
  snapshot.view.roster = recovery::Roster({other});
  bool wants_it_out = false;
  for (int turn = 0; turn < 100 && !wants_it_out; ++turn) {
    now += std::chrono::milliseconds(100);
    for (const recovery::RegisterRequest& ask : std::exchange(world.asked, {})) {
      const auto* propose = std::get_if<recovery::Propose>(&ask.question);
      bool was_in = snapshot.view.roster.contains(node.self());
      wants_it_out = was_in && propose && !propose->view.roster.contains(other.life());
      if (propose && !was_in) snapshot.view = propose->view;
      node.answered(node.self(), {ask.number, true, snapshot}, now);
    }
    node.tick(now);
    node.settle(now);
  }
  EXPECT_TRUE(wants_it_out);
}

}  // namespace conch::node::node_test
