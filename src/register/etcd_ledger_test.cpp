#include "register/etcd_ledger.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "register/etcd_names.hpp"
#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch::etcd::etcd_ledger_test {

using namespace std::chrono_literals;
using State = EtcdLease::State;

const PeerInstance a = life(1);
const PeerInstance b = life(2);
const recovery::View of_a = after({}, a, {a});
constexpr std::chrono::milliseconds soon{20'000};

TEST(EtcdLedger, ALeaseIsOverWhenNothingWasSeenOfItForItsTime) {
  LeaseLedger ledger(50ms);
  EXPECT_FALSE(ledger.is_over(ledger.find(a))) << "nobody has looked yet";
  ledger.saw(a, State::running, 5);
  EtcdLease first = ledger.find(a);
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(ledger.is_over(first));
  ledger.heard(a, State::running, 5);
  EXPECT_TRUE(ledger.is_over(ledger.find(a))) << "that is no renewal";
  ledger.heard(a, State::running, 6);
  EXPECT_GE(ledger.find(a).since, first.since + 50ms);
  ledger.saw(a, State::ended, 7);
  ledger.heard(a, State::running, 6);
  EXPECT_EQ(ledger.find(a).state, State::ended) << "what is older says nothing";
  EXPECT_FALSE(ledger.is_over(ledger.find(a))) << "it has ended, for ever";
}

TEST(EtcdLedger, ALeaseThatIsNotThereIsOverOneLeaseAfterItWasMissed) {
  LeaseLedger ledger(50ms);
  ledger.saw_all({}, of_a, 5);
  Duration since = ledger.find(a).since;
  ledger.saw_all({}, of_a, 6);
  ledger.saw(a, State::missing, 7);
  EXPECT_EQ(ledger.find(a).since, since) << "not when it was missed last";
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(ledger.is_over(ledger.find(a)));
}

TEST(EtcdLedger, RingsForWhatNoAnswerHasTold) {
  LeaseLedger ledger(10min);
  ledger.saw_all({{a, {State::running, 4}}, {b, {State::running, 4}}}, of_a, 4);
  ledger.told(of_a, 4);
  auto rings = [&] { return readable(ledger.descriptor(), {}); };
  ledger.heard_of_view(4);
  EXPECT_FALSE(rings()) << "that was told";
  ledger.heard(a, State::running, 5);
  EXPECT_FALSE(rings()) << "a renewal is no news";
  ledger.heard(b, State::ended, 6);
  EXPECT_FALSE(rings()) << "nobody mentions it";
  ledger.heard(a, State::ended, 7);
  EXPECT_TRUE(rings());
  ledger.told(of_a, 6);
  EXPECT_TRUE(rings()) << "that was before it";
  ledger.told(of_a, 7);
  EXPECT_FALSE(rings());
  ledger.heard_of_view(8);
  EXPECT_TRUE(rings());
}

TEST(EtcdLedger, RingsWhenALeaseIsOver) {
  LeaseLedger ledger(50ms);
  ledger.saw_all({{a, {State::running, 4}}}, of_a, 4);
  ledger.told(of_a, 4);
  EXPECT_TRUE(readable(ledger.descriptor(), soon));
  EXPECT_TRUE(ledger.is_over(ledger.find(a)));
}

TEST(EtcdLedger, KnowsWhomNobodyMentions) {
  LeaseLedger ledger(1min);
  ledger.saw_all({{a, {State::running, 4}}, {b, {State::ended, 4}}}, of_a, 4);
  EXPECT_EQ(ledger.strangers(of_a, 10), std::vector{b});
  EXPECT_EQ(ledger.strangers({}, 1), std::vector{a});
  ledger.saw_all({{a, {State::running, 4}}}, of_a, 5);
  EXPECT_TRUE(ledger.strangers(of_a, 10).empty()) << "it has gone";
}

TEST(EtcdNames, AreReadAsTheyAreWritten) {
  KeyNames names("kitchen");
  EXPECT_EQ(names.view(7), "/conch/kitchen/view/00000000000000000007");
  EXPECT_EQ(names.view_in(names.view(7)), 7u);
  EXPECT_EQ(names.view_in(names.view(~std::uint64_t{0})), ~std::uint64_t{0});
  EXPECT_LT(names.view(9), names.view(10));
  EXPECT_EQ(names.lease(life(3, 4)), "/conch/kitchen/lease/life.3.4");
  EXPECT_EQ(names.lease_in(names.lease(life(3, 4))), life(3, 4));
  for (const char* other : {"/conch/kitchen/lease/life.3", "/conch/kitchen/lease/life.3.x",
                            "/conch/cellar/lease/life.3.4", "/conch/kitchen/view/7", ""}) {
    EXPECT_EQ(names.lease_in(other), std::nullopt) << other;
    EXPECT_EQ(names.view_in(other), std::nullopt) << other;
  }
}

}  // namespace conch::etcd::etcd_ledger_test
