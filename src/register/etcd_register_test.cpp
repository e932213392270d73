// What the etcd register does when the cluster has trouble. testing/contract.hpp tests what every
// register does.
#include "register/etcd_register.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <list>

#include "net/testing/certificates.hpp"
#include "register/etcd_restored.hpp"
#include "register/testing/etcd_cluster.hpp"
#include "register/testing/views.hpp"

namespace conch::etcd_register_test {

using namespace std::chrono_literals;
using net::testing::Authority;
using recovery::View;

constexpr std::chrono::milliseconds soon{20'000};

class EtcdRegisterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string why = why_no_etcd(); !why.empty()) GTEST_SKIP() << why;
  }

  static EtcdRegisterOptions options_for(const EtcdCluster& cluster) {
    EtcdRegisterOptions options;
    options.endpoints = cluster.endpoints();
    options.group = "test";
    options.lease = 1min;
    return options;
  }
  /// The text of the RegisterError that `deed` throws.
  static std::string complaint(const std::function<void()>& deed) {
    try {
      deed();
    } catch (const RegisterError& error) {
      return error.what();
    }
    return "nothing";
  }
  static void expect_complaint(const std::string& part, const std::function<void()>& deed) {
    std::string said = complaint(deed);
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }
  static std::size_t count(const EtcdCluster& cluster, const std::string& prefix) {
    etcd::Client client({{etcd::parse_endpoint(cluster.endpoints().front())}});
    client.set_patience(soon);
    return client.transact({{}, {etcd::Get{etcd::beginning_with(prefix)}}}).found[0].size();
  }

  const PeerInstance a = life(1);
  const PeerInstance b = life(2);
};

TEST_F(EtcdRegisterTest, AMemberThatDoesNotAnswerIsPassedOver) {
  EtcdCluster cluster(3);
  EtcdRegisterOptions options = options_for(cluster);
  options.patience = 3s;              // Long enough for an election.
  std::list<EtcdRegister> registers;  // Each begins with another member.
  for (int i = 0; i < 3; ++i) {
    registers.emplace_back(options);
    std::rotate(options.endpoints.begin(), options.endpoints.begin() + 1, options.endpoints.end());
  }
  View view = registers.front().propose(after({}, a, {a})).snapshot.view;
  cluster.send(0, SIGSTOP);
  for (EtcdRegister& reg : registers) {
    EXPECT_EQ(reg.read().view, view);
    EXPECT_TRUE(reg.renew(a));
  }
  cluster.kill(0);
  cluster.start(0);
  ASSERT_TRUE(cluster.await_health());
  cluster.kill(1);
  for (EtcdRegister& reg : registers) EXPECT_TRUE(reg.renew(a));
}

TEST_F(EtcdRegisterTest, WhenTheClusterIsAwayEveryCallSaysSoAndThenItGoesOn) {
  EtcdCluster cluster;
  EtcdRegisterOptions options = options_for(cluster);
  options.patience = 2s;
  EtcdRegister reg(options);
  EtcdRegister other(options);
  View view = reg.propose(after({}, a, {a})).snapshot.view;
  other.read();
  cluster.kill(0);
  expect_complaint("no member of the cluster answers", [&] { reg.read(); });
  expect_complaint("no member of the cluster answers", [&] { reg.propose(after(view, a, {a})); });
  expect_complaint("no member of the cluster answers", [&] { EtcdRegister another(options); });
  cluster.start(0);
  ASSERT_TRUE(cluster.await_health());
  EXPECT_TRUE(reg.renew(a));
  View next = reg.propose(after(view, a, {a})).snapshot.view;
  EXPECT_EQ(next.number, 2u);
  while (other.read().view != next) ASSERT_TRUE(readable(other.descriptor(), soon));
  next = reg.propose(after(next, a, {a})).snapshot.view;
  EXPECT_TRUE(readable(other.descriptor(), soon)) << "it watches again";
}

TEST_F(EtcdRegisterTest, AStateThatGoesBackIsRefused) {
  EtcdCluster cluster;
  EtcdRegister reg(options_for(cluster));
  reg.propose(after({}, a, {a}));
  cluster.kill(0);
  cluster.wipe(0);
  cluster.start(0);
  ASSERT_TRUE(cluster.await_health());
  expect_complaint("was restored from a backup", [&] { reg.read(); });
}

/// Peers that start later refuse it, too, and even when etcd's revision has passed the old one.
TEST_F(EtcdRegisterTest, AStateThatWentBackIsRefusedUntilSomebodyAcceptsIt) {
  EtcdCluster cluster;
  EtcdRegisterOptions options = options_for(cluster);
  options.lease = 500ms;
  EtcdRegister reg(options);
  EtcdRegister other(options);
  View known = reg.propose(after({}, a, {a})).snapshot.view;
  known = reg.propose(after(known, a, {a})).snapshot.view;
  other.read();
  auto nothing = [](Duration) {};
  EXPECT_FALSE(etcd::accept_restored(options, nothing)) << "there is nothing to accept";
  cluster.kill(0);
  cluster.wipe(0);
  cluster.start(0);
  ASSERT_TRUE(cluster.await_health());
  expect_complaint("was restored from a backup", [&] { reg.renew(a); });
  etcd::Client client({{etcd::parse_endpoint(cluster.endpoints().front())}});
  for (int i = 0; i < 50; ++i) client.transact({{}, {etcd::Put{"/other", "x"}}});
  expect_complaint("was restored from a backup", [&] { reg.renew(a); });
  expect_complaint("was restored from a backup", [&] { other.read(); });
  expect_complaint("was restored from a backup", [&] { other.propose(after(known, b, {b})); });
  expect_complaint("was restored from a backup", [&] { EtcdRegister late(options); });

  EXPECT_TRUE(etcd::accept_restored(options, nothing));
  View accepted = EtcdRegister(options).read().view;
  EXPECT_GT(accepted.number, known.number);
  EXPECT_GT(accepted.epoch, known.epoch);
  EXPECT_TRUE(accepted.roster.empty());
  EXPECT_EQ(reg.read().view, accepted);
  EXPECT_FALSE(reg.renew(a)) << "nobody is in the group";
  View next = reg.propose(after(accepted, b, {b})).snapshot.view;
  while (other.read().view != next) ASSERT_TRUE(readable(other.descriptor(), soon));
  EXPECT_TRUE(reg.renew(b));
}

TEST_F(EtcdRegisterTest, KeysThatSomebodyRemovedAreLikeABackup) {
  EtcdCluster cluster;
  EtcdRegister reg(options_for(cluster));
  View view = reg.propose(after({}, a, {a})).snapshot.view;
  reg.propose(after(view, a, {a}));
  etcd::Client client({{etcd::parse_endpoint(cluster.endpoints().front())}});
  client.transact({{}, {etcd::Remove{etcd::KeyNames("test").view(2)}}});
  expect_complaint("keys of the group were removed", [&] { reg.read(); });
  expect_complaint("keys of the group were removed", [&] { reg.renew(a); });
  expect_complaint("keys of the group were removed", [&] { EtcdRegister{options_for(cluster)}; });
}

TEST_F(EtcdRegisterTest, MembersOfTwoClustersAreRefused) {
  EtcdCluster cluster;
  EtcdCluster another;
  EtcdRegisterOptions options = options_for(cluster);
  options.endpoints.push_back(another.endpoints().front());
  EtcdRegister reg(options);
  cluster.kill(0);
  expect_complaint("belongs to another cluster", [&] { reg.read(); });
}

TEST_F(EtcdRegisterTest, ALifeThatWasThereDoesNotBeginAgain) {
  EtcdCluster cluster;
  EtcdRegister reg(options_for(cluster));
  View view = reg.propose(after({}, a, {a})).snapshot.view;
  view = reg.propose(after(view, b, {a, b})).snapshot.view;
  EXPECT_TRUE(reg.renew(b));
  view = reg.propose(after(view, a, {a})).snapshot.view;
  ProposalResult again = EtcdRegister(options_for(cluster)).propose(after(view, b, {a, b}));
  EXPECT_TRUE(again.accepted);
  EXPECT_FALSE(reg.renew(b)) << "it has no lease";
  EXPECT_TRUE(reg.renew(a));
  EXPECT_TRUE(reg.propose(after(again.snapshot.view, a, {a, life(2, 2)}), life(2, 2)).accepted);
  EXPECT_TRUE(reg.renew(life(2, 2))) << "but another life of the same peer has";
}

TEST_F(EtcdRegisterTest, LittleStaysBehind) {
  EtcdCluster cluster;
  EtcdRegister reg(options_for(cluster));
  View first = reg.propose(after({}, a, {a})).snapshot.view;
  View view = first;
  for (std::uint64_t i = 0; i < 100; ++i) {
    PeerInstance guest = life(100 + i);
    view = reg.propose(after(view, guest, {a, guest})).snapshot.view;
    view = reg.propose(after(view, a, {a})).snapshot.view;
  }
  EXPECT_EQ(view.number, 201u);
  EXPECT_EQ(count(cluster, "/conch/test/view/"), 64u);
  EXPECT_EQ(count(cluster, "/conch/test/lease/"), 1u);
  EXPECT_EQ(count(cluster, "/conch/test/gone/"), 100u) << "for an hour";
  EXPECT_FALSE(reg.propose(first).accepted) << "that is forgotten";
}

TEST_F(EtcdRegisterTest, GroupsHaveNothingToDoWithOneAnother) {
  EtcdCluster cluster;
  EtcdRegisterOptions options = options_for(cluster);
  EtcdRegister reg(options);
  reg.propose(after({}, a, {a}));
  options.group = "test2";
  options.lease = 2min;
  EtcdRegister other(options);
  EXPECT_EQ(other.read(), recovery::RegisterSnapshot{});
  EXPECT_EQ(other.lease(), Duration(2min));
}

TEST_F(EtcdRegisterTest, ADeathInTheNeighbourhoodIsKnownAtOnce) {
  EtcdCluster cluster;
  ScratchFolder scratch;
  EtcdRegisterOptions options = options_for(cluster);
  options.neighbours = scratch.path() + "/lives";
  Child child([&] {
    EtcdRegister mine(options);
    mine.attach(a);
    if (!mine.propose(after({}, a, {a})).accepted) return 1;
    ::raise(SIGSTOP);
    return 2;
  });
  ASSERT_TRUE(child.await_stop());
  EtcdRegister reg(options);
  EXPECT_FALSE(reg.read().has_ended(a)) << "who is stopped is not dead";
  EXPECT_FALSE(readable(reg.descriptor(), {}));
  child.send(SIGKILL);
  while (!reg.read().has_ended(a)) ASSERT_TRUE(readable(reg.descriptor(), soon));
  EXPECT_FALSE(reg.renew(a));
}

TEST_F(EtcdRegisterTest, AWatchThatComesTooLateSaysThatOneMustLook) {
  EtcdCluster cluster;
  etcd::Client client({{etcd::parse_endpoint(cluster.endpoints().front())}});
  client.set_patience(soon);
  etcd::Header newest;
  for (int i = 0; i < 10; ++i)
    newest = client.transact({{}, {etcd::Put{"/conch/other", "x"}}}).header;
  cluster.post("/v3/kv/compaction", R"({"revision":")" + std::to_string(newest.revision) + R"("})");
  etcd::LeaseLedger ledger(1min);
  etcd::Watch watch(
      {{{etcd::parse_endpoint(cluster.endpoints().front())}}, soon, newest.cluster, 2, 1min},
      etcd::KeyNames("test"), ledger);
  EXPECT_TRUE(readable(ledger.descriptor(), soon));
}

TEST_F(EtcdRegisterTest, WhatMakesNoSenseIsSaid) {
  EtcdCluster cluster;
  EtcdRegisterOptions options = options_for(cluster);
  options.endpoints = {"10.0.0.1:2379"};
  EXPECT_THROW(EtcdRegister{options}, std::invalid_argument);
  options.endpoints = {};
  EXPECT_THROW(EtcdRegister{options}, std::invalid_argument);
  options = options_for(cluster);
  options.lease = {};
  EXPECT_THROW(EtcdRegister{options}, std::invalid_argument);
  options = options_for(cluster);
  EtcdRegister reg(options);
  etcd::Client client({{etcd::parse_endpoint(cluster.endpoints().front())}});
  client.transact({{}, {etcd::Put{etcd::KeyNames("test").view(1), "nonsense"}}});
  expect_complaint("/conch/test/view/00000000000000000001 is not a view file", [&] { reg.read(); });
}

// TLS and users.

TEST_F(EtcdRegisterTest, UnderTlsBothSidesMustBeWhoTheySay) {
  ScratchFolder scratch;
  Authority ours(scratch.path() + "/ours.pem");
  Authority theirs(scratch.path() + "/theirs.pem");
  EtcdCluster cluster({1, ours.certify(scratch.path() + "/member", "IP:127.0.0.1")});
  EtcdRegisterOptions options = options_for(cluster);
  options.tls = ours.certify(scratch.path() + "/peer");
  EtcdRegister reg(options);
  EXPECT_TRUE(reg.propose(after({}, a, {a})).accepted);
  EtcdRegister other(options);
  EXPECT_TRUE(reg.renew(a));
  reg.end(a);
  while (!other.read().has_ended(a)) ASSERT_TRUE(readable(other.descriptor(), soon));

  options.patience = 2s;
  EtcdRegisterOptions wrong = options;
  wrong.tls.authority = scratch.path() + "/theirs.pem";
  expect_complaint("its certificate is not accepted", [&] { EtcdRegister{wrong}; });
  wrong = options;
  wrong.tls.certificate = wrong.tls.key = "";
  expect_complaint("certificate", [&] { EtcdRegister{wrong}; });
  wrong.tls = theirs.certify(scratch.path() + "/stranger");
  wrong.tls.authority = scratch.path() + "/ours.pem";
  expect_complaint("certificate", [&] { EtcdRegister{wrong}; });
  wrong = options;
  wrong.endpoints = {"http" + cluster.endpoints().front().substr(5)};
  expect_complaint("write https://", [&] { EtcdRegister{wrong}; });
}

TEST_F(EtcdRegisterTest, AMemberOfAnotherNameIsRefused) {
  ScratchFolder scratch;
  Authority ours(scratch.path() + "/ours.pem");
  // etcd's gateway connects to its own member as a client, by the same name, so the client uses
  // another name.
  EtcdCluster cluster({1, ours.certify(scratch.path() + "/member", "IP:127.0.0.1")});
  EtcdRegisterOptions options = options_for(cluster);
  options.tls = ours.certify(scratch.path() + "/peer");
  std::string url = options.endpoints.front();
  options.endpoints = {"https://localhost" + url.substr(url.rfind(':'))};
  options.patience = 2s;
  expect_complaint("its certificate is not accepted", [&] { EtcdRegister{options}; });
}

/// User `conch` with the password `shell` may use the locks; `stranger` may do nothing.
void enable_users(const EtcdCluster& cluster) {
  std::string range = R"("key":")" + etcd::to_base64("/conch/") + R"(","range_end":")" +
                      etcd::to_base64("/conch0") + R"(")";
  cluster.post("/v3/auth/user/add", R"({"name":"root","password":"r"})");
  cluster.post("/v3/auth/role/add", R"({"name":"root"})");
  cluster.post("/v3/auth/user/grant", R"({"user":"root","role":"root"})");
  cluster.post("/v3/auth/role/add", R"({"name":"locks"})");
  cluster.post("/v3/auth/role/grant",
               R"({"name":"locks","perm":{"permType":"READWRITE",)" + range + "}}");
  cluster.post("/v3/auth/user/add", R"({"name":"conch","password":"shell"})");
  cluster.post("/v3/auth/user/grant", R"({"user":"conch","role":"locks"})");
  cluster.post("/v3/auth/user/add", R"({"name":"stranger","password":"x"})");
  cluster.post("/v3/auth/enable", "{}");
}

TEST_F(EtcdRegisterTest, AUserIsAskedForItsPasswordAgainWhenItsTokenIsForgotten) {
  EtcdCluster cluster;
  enable_users(cluster);
  EtcdRegisterOptions options = options_for(cluster);
  expect_complaint("give a user", [&] { EtcdRegister{options}; });
  options.user = "stranger";
  options.password = "x";
  expect_complaint("readwrite on the prefix /conch/", [&] { EtcdRegister{options}; });
  options.user = "conch";
  expect_complaint("check the user and its password", [&] { EtcdRegister{options}; });
  options.password = "shell";
  EtcdRegister reg(options);
  EtcdRegister other(options);
  View view = reg.propose(after({}, a, {a})).snapshot.view;
  while (other.read().view != view) ASSERT_TRUE(readable(other.descriptor(), soon));

  cluster.kill(0);  // Tokens are kept in memory.
  cluster.start(0);
  ASSERT_TRUE(cluster.await_health());
  EXPECT_TRUE(reg.renew(a));
  view = reg.propose(after(view, b, {a, b})).snapshot.view;
  while (other.read().view != view) ASSERT_TRUE(readable(other.descriptor(), soon));
  reg.propose(after(view, b, {b}));
  EXPECT_TRUE(readable(other.descriptor(), soon)) << "it watches again";
}

/// etcd's gateway refuses such certificates, because it could take the CommonName for a user.
TEST_F(EtcdRegisterTest, WithUsersTheCertificateOfAClientHasNoCommonName) {
  ScratchFolder scratch;
  Authority ours(scratch.path() + "/ours.pem");
  EtcdCluster cluster({1, ours.certify(scratch.path() + "/member", "IP:127.0.0.1")});
  enable_users(cluster);
  EtcdRegisterOptions options = options_for(cluster);
  options.user = "conch";
  options.password = "shell";
  options.tls = ours.certify(scratch.path() + "/named", "", "CN");
  expect_complaint("takes no client certificate with a CommonName", [&] { EtcdRegister{options}; });
  options.tls = ours.certify(scratch.path() + "/nameless", "", "O");
  EtcdRegister reg(options);
  EXPECT_TRUE(reg.propose(after({}, a, {a})).accepted);
  EXPECT_TRUE(reg.renew(a));
}

}  // namespace conch::etcd_register_test
