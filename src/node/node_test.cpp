// What `conch survive` does not reach: it runs nodes among others that mean well.
#include "node/node.hpp"

#include <gtest/gtest.h>

#include "catalog/catalog.hpp"

namespace conch::node::node_test {

/// In which nothing happens.
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
  recovery::Incarnation draw_incarnation(recovery::Incarnation before) override { return before; }
  void begin_life(const Life&) override {}
  void end_life(const Life&) override {}
  void ask(const Life&, recovery::Ask) override {}
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
  void hand_over(const wire::Connection&, const Life&) override {}
  void log(const std::string&) override {}
};

/// It has asked somebody for the terms of the lease. Whoever that is may say anything instead.
TEST(Node, WhoHasNoLifeYetHearsTheTermsAlone) {
  Nowhere world;
  Node node({.group = "default",
             .algorithm = &find_algorithm("naimi-trehel"),
             .self = {NodeId{1}, recovery::Incarnation{1}},
             .join = {"127.0.0.1:4711"}},
            world, world);
  node.seek({});
  Life other{NodeId{2}, recovery::Incarnation{1}};
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

}  // namespace conch::node::node_test
