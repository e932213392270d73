// The contract of every register, as tests against the interface alone. A register instantiates
// them with a RegisterWorld:
//
//   INSTANTIATE_TEST_SUITE_P(All, RegisterContract, testing::Values(RegisterKind{"File", make}),
//                            name_of_register);
//
// All registers do so in one file, because the tests are defined in this header.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/print.hpp"
#include "register/register.hpp"
#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch {

/// One register with any number of clients, whose time the test can let pass.
class RegisterWorld {
 public:
  virtual ~RegisterWorld() = default;
  virtual std::unique_ptr<Register> client() = 0;
  virtual void pass(Duration time) = 0;
};

/// Makes a world with this lease duration.
using MakeRegisterWorld = std::function<std::unique_ptr<RegisterWorld>(Duration lease)>;

struct RegisterKind {
  std::string name;
  MakeRegisterWorld make;
  /// What is missing to run the tests; empty if nothing is.
  std::string missing = {};
  /// A slow machine must be able to answer in a fraction of it.
  Duration short_lease = std::chrono::milliseconds(100);
};
inline void PrintTo(const RegisterKind& kind, std::ostream* out) { *out << kind.name; }
inline std::string name_of_register(const testing::TestParamInfo<RegisterKind>& info) {
  return info.param.name;
}

class RegisterContract : public testing::TestWithParam<RegisterKind> {
 protected:
  static constexpr Duration long_lease = std::chrono::minutes(1);
  const Duration short_lease = GetParam().short_lease;
  static constexpr std::chrono::milliseconds soon{10'000};

  using Lives = std::vector<PeerInstance>;

  void SetUp() override {
    if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
  }

  std::unique_ptr<RegisterWorld> world(Duration lease = long_lease) {
    return GetParam().make(lease);
  }

  /// Makes this life the only member.
  static recovery::View found(Register& by, const PeerInstance& founder) {
    ProposalResult verdict = by.propose(after({}, founder, {founder}));
    EXPECT_TRUE(verdict.accepted);
    return verdict.snapshot.view;
  }
  /// Waits for the end of a lease, woken by the descriptor alone.
  static bool await_end(Register& by, const PeerInstance& of) {
    while (!by.read().has_ended(of))
      if (!readable(by.descriptor(), soon)) return false;
    return true;
  }

  const PeerInstance a = life(1);
  const PeerInstance b = life(2);
  const PeerInstance c = life(3);
};

TEST_P(RegisterContract, AnEmptyRegisterHasViewZero) {
  auto here = world();
  EXPECT_EQ(here->client()->read(), recovery::RegisterSnapshot{});
}

TEST_P(RegisterContract, TheFirstProposalIsSeenByAll) {
  auto here = world();
  auto first = here->client();
  auto second = here->client();
  recovery::View view = after({}, a, {a});
  ProposalResult verdict = first->propose(view);
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.snapshot, (recovery::RegisterSnapshot{view, {}}));
  EXPECT_EQ(second->read(), verdict.snapshot);
  EXPECT_EQ(here->client()->read(), verdict.snapshot);
}

TEST_P(RegisterContract, OfTwoProposalsOfOneNumberOneIsAccepted) {
  auto here = world();
  auto first = here->client();
  auto second = here->client();
  recovery::View view = found(*first, a);
  ProposalResult refused = second->propose(after({}, b, {b}));
  EXPECT_FALSE(refused.accepted);
  EXPECT_EQ(refused.snapshot.view, view);

  ProposalResult accepted = second->propose(after(refused.snapshot.view, b, {a, b}));
  EXPECT_TRUE(accepted.accepted);
  EXPECT_EQ(first->read().view, accepted.snapshot.view);
}

TEST_P(RegisterContract, AProposalThatIsAheadIsRefused) {
  auto here = world();
  auto client = here->client();
  recovery::View view = found(*client, a);
  recovery::View ahead = after(view, a, {a});
  ++ahead.number;
  ProposalResult verdict = client->propose(ahead);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.snapshot.view, view);
}

TEST_P(RegisterContract, AProposalThatWasAcceptedIsAcceptedAgain) {
  auto here = world();
  auto client = here->client();
  recovery::View first = found(*client, a);
  EXPECT_TRUE(client->propose(first).accepted);
  EXPECT_TRUE(here->client()->propose(first).accepted);
  EXPECT_EQ(client->read().view, first);

  recovery::View second = client->propose(after(first, a, {a, b})).snapshot.view;
  ProposalResult late = client->propose(first);
  EXPECT_TRUE(late.accepted);
  EXPECT_EQ(late.snapshot.view, second) << "it is not made twice";
}

TEST_P(RegisterContract, NoRegisterAcceptsNonsense) {
  auto here = world();
  auto client = here->client();
  EXPECT_THROW(client->propose({}), std::invalid_argument);
  recovery::View view = found(*client, a);
  recovery::View back = after(view, a, {a});
  ASSERT_TRUE(client->propose(back).accepted);
  back = after(back, a, {a});
  back.epoch = view.epoch;
  EXPECT_THROW(client->propose(back), std::invalid_argument);
  EXPECT_EQ(client->read().view.number, 2u);
}

TEST_P(RegisterContract, ChangesOfAViewAreAllKept) {
  auto here = world();
  auto client = here->client();
  recovery::View view = found(*client, a);
  recovery::Member guest{b.id, b.incarnation, std::string("caf\xc3\xa9:1\0x", 9), true};
  view = {2, view.epoch, "suzuki-kasami", a, view.roster.with(guest), {c}};
  EXPECT_TRUE(client->propose(view).accepted);
  EXPECT_EQ(here->client()->read().view, view) << print(view);
}

TEST_P(RegisterContract, EpochsOutliveAGroupThatIsEmptyForAWhile) {
  auto here = world();
  recovery::View view = found(*here->client(), a);
  EXPECT_TRUE(here->client()->propose(after(view, a, {})).accepted);
  auto later = here->client();
  recovery::View empty = later->read().view;
  EXPECT_EQ(empty.epoch, Epoch{2});
  EXPECT_TRUE(later->propose(after(empty, b, {b})).accepted);
}

TEST_P(RegisterContract, AMemberRenewsAndNobodyElse) {
  auto here = world();
  auto client = here->client();
  EXPECT_FALSE(client->renew(a));
  found(*client, a);
  EXPECT_TRUE(client->renew(a));
  EXPECT_TRUE(client->renew(a));
  EXPECT_TRUE(here->client()->renew(a)) << "through any client";
  EXPECT_FALSE(client->renew(b));
  EXPECT_FALSE(client->renew(life(1, 2))) << "another life of the same peer";
}

TEST_P(RegisterContract, WhoRenewsLearnsWhatIsNew) {
  auto here = world();
  auto client = here->client();
  auto other = here->client();
  recovery::View view = found(*client, a);
  view = other->propose(after(view, b, {a, b})).snapshot.view;
  ProposalResult renewed = client->renew_and_read(a);
  EXPECT_TRUE(renewed.accepted);
  EXPECT_EQ(renewed.snapshot.view, view);
  EXPECT_EQ(renewed.snapshot.ended, Lives{});
  other->end(b);
  renewed = client->renew_and_read(a);
  EXPECT_TRUE(renewed.accepted);
  EXPECT_EQ(renewed.snapshot.ended, Lives{b});
  view = other->propose(after(view, c, {c}, {a})).snapshot.view;
  renewed = client->renew_and_read(a);
  EXPECT_FALSE(renewed.accepted) << "it is out";
  EXPECT_EQ(renewed.snapshot.view, view);
}

TEST_P(RegisterContract, ALeaseIsAsLongAsItSays) {
  EXPECT_EQ(world(long_lease)->client()->lease(), long_lease);
  EXPECT_EQ(world(short_lease)->client()->lease(), short_lease);
}

TEST_P(RegisterContract, WhoIsEvictedCannotRenewAndItsLeaseRunsOut) {
  auto here = world(20 * short_lease);
  auto client = here->client();
  auto other = here->client();
  recovery::View view = found(*client, a);
  view = other->propose(after(view, b, {a, b})).snapshot.view;
  EXPECT_TRUE(client->renew(a));
  ProposalResult evicting = other->propose(after(view, b, {b}, {a}));
  EXPECT_TRUE(evicting.accepted);
  EXPECT_FALSE(evicting.snapshot.has_ended(a)) << "it may still believe in its lease";
  EXPECT_FALSE(client->renew(a));
  EXPECT_TRUE(await_end(*other, a));
  EXPECT_FALSE(client->renew(a));
}

TEST_P(RegisterContract, ALeaseEndsByTimeAndNotBefore) {
  auto here = world(short_lease);
  auto client = here->client();
  auto other = here->client();
  auto began = std::chrono::steady_clock::now();
  found(*client, a);
  EXPECT_TRUE(await_end(*other, a));
  EXPECT_GE(std::chrono::steady_clock::now() - began, short_lease);
  EXPECT_EQ(other->read().ended, Lives{a});
}

TEST_P(RegisterContract, AnEndedLeaseCannotBeRenewed) {
  auto here = world(short_lease);
  auto client = here->client();
  recovery::View view = found(*client, a);
  here->pass(short_lease);
  EXPECT_FALSE(client->renew(a)) << "nobody has seen it end";
  EXPECT_FALSE(client->renew(a));
  EXPECT_EQ(client->read().ended, Lives{a});
  EXPECT_TRUE(client->propose(after(view, a, {a})).accepted);
  EXPECT_FALSE(client->renew(a)) << "a proposal does not bring it back";
}

TEST_P(RegisterContract, RenewalsKeepALeaseBeyondItsTime) {
  auto here = world(8 * short_lease);
  auto client = here->client();
  auto other = here->client();
  found(*client, a);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(client->renew(a));
    ASSERT_FALSE(other->read().has_ended(a));
    here->pass(short_lease);
  }
}

TEST_P(RegisterContract, EndEndsAtOnceAndForEver) {
  auto here = world();
  auto client = here->client();
  auto other = here->client();
  recovery::View view = found(*client, a);
  client->propose(after(view, b, {a, b}));
  EXPECT_EQ(other->read().ended, Lives{});
  EXPECT_FALSE(readable(other->descriptor(), {}));
  client->end(a);
  client->end(a);
  EXPECT_TRUE(readable(other->descriptor(), soon));
  EXPECT_EQ(other->read().ended, Lives{a});
  EXPECT_FALSE(client->renew(a));
  EXPECT_FALSE(other->renew(a));
  EXPECT_TRUE(client->renew(b));
  EXPECT_EQ(client->read().ended, Lives{a});
}

TEST_P(RegisterContract, ANewcomersLeaseBeginsWithTheViewWhoeverDecides) {
  auto here = world(5 * short_lease);
  auto client = here->client();
  recovery::View view = found(*client, a);
  EXPECT_TRUE(here->client()->propose(after(view, a, {a, b}), b).accepted);
  EXPECT_FALSE(client->read().has_ended(b));
  EXPECT_TRUE(client->renew(b));
  EXPECT_TRUE(await_end(*client, b));
  EXPECT_FALSE(client->renew(b));
}

TEST_P(RegisterContract, ADeciderThatLeavesKeepsItsLeaseAsLongAsItDecides) {
  auto here = world(5 * short_lease);
  auto client = here->client();
  recovery::View view = found(*client, a);
  view = client->propose(after(view, a, {a, b}), b).snapshot.view;
  view = client->propose(after(view, a, {b})).snapshot.view;
  EXPECT_TRUE(client->renew(a));
  EXPECT_TRUE(await_end(*client, a)) << "the others wait for its decision";
  EXPECT_TRUE(client->propose(after(view, b, {b})).accepted);
  EXPECT_FALSE(client->renew(a));
  EXPECT_FALSE(client->read().has_ended(a)) << "and nobody does any more";
}

TEST_P(RegisterContract, TheDescriptorTellsOfANewView) {
  auto here = world();
  auto watching = here->client();
  auto client = here->client();
  recovery::View view{};
  watching->read();
  // More views than any register keeps in one place.
  for (int i = 0; i < 150; ++i) {
    ASSERT_FALSE(readable(watching->descriptor(), {})) << "nothing happened after view " << i;
    view = client->propose(after(view, a, {a})).snapshot.view;
    ASSERT_TRUE(readable(watching->descriptor(), soon)) << "view " << view.number;
    ASSERT_EQ(watching->read().view, view);
  }
}

}  // namespace conch
