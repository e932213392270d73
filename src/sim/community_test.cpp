// Protocols over an overlay, with everything that can go wrong, and without their corrections.
//
// CONCH_SCHEDULES=2000 runs so many schedules of each world instead of a few. A failing run prints
// the command that repeats it.
#include "sim/community.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "catalog/classes.hpp"

namespace conch::sim::community_test {

struct World {
  std::string protocol;
  std::string weather;
  unsigned replicas = 3;
  HandOff hand_off = HandOff::winner;
  Retry retry = Retry::informed;
  Without without = Without::nothing;
  /// Without one, a perfect one; the seed says which.
  std::string overlay = {};

  CommunityOptions options(std::uint64_t seed) const {
    CommunityOptions options = CommunityOptions::of(protocol, weather);
    options.seed = seed;
    options.overlay = overlay;
    if (overlay.empty()) options.overlay = seed % 2 == 0 ? "perfect-pastry" : "perfect-chord";
    options.tuning.replication.replicas = replicas;
    options.tuning.replication.hand_off = hand_off;
    options.tuning.replication.retry = retry;
    options.tuning.without = without;
    return options;
  }
  std::string repeat(std::uint64_t seed) const {
    CommunityOptions run = options(seed);
    std::ostringstream out;
    out << "build/dev/conch sim " << protocol << " --weather " << weather << " --dht "
        << run.overlay << " --replicas " << replicas << " --hand-off "
        << std::array{"token", "winner", "cleanup"}.at(static_cast<std::size_t>(hand_off))
        << " --retry "
        << std::array{"never", "informed", "always"}.at(static_cast<std::size_t>(retry))
        << " --seed " << seed;
    return out.str();
  }
};

std::uint64_t schedules(std::uint64_t usual) {
  const char* wanted = std::getenv("CONCH_SCHEDULES");
  return wanted ? std::strtoull(wanted, nullptr, 10) : usual;
}

void try_out(World world, std::uint64_t usual, CommunityResult& sometimes) {
  for (unsigned replicas : {3u, 5u}) {
    world.replicas = replicas;
    for (std::uint64_t seed = 1; seed <= schedules(usual); ++seed) {
      CommunityResult result = run_community(world.options(seed));
      sometimes.add(result);
      ASSERT_FALSE(result.violation) << word(result.violation->property) << ": "
                                     << result.violation->what << "\n  " << world.repeat(seed);
    }
  }
}

std::vector<World> all_protocols(const std::string& weather) {
  return {{.protocol = "sigma", .weather = weather},
          {.protocol = "end-to-end", .weather = weather, .hand_off = HandOff::token},
          {.protocol = "end-to-end", .weather = weather, .hand_off = HandOff::winner},
          {.protocol = "end-to-end", .weather = weather, .hand_off = HandOff::cleanup},
          {.protocol = "non-end-to-end", .weather = weather}};
}

TEST(Community, ReorderedAndRepeatedMessages) {
  for (const World& world : all_protocols("calm")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 500, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
    EXPECT_GT(sometimes.cancelled, 0u);
    EXPECT_GT(sometimes.kinds["YIELD"], 0u) << world.protocol;
  }
}

TEST(Community, SigmaAsksAgainNeverOrAlways) {
  for (Retry retry : {Retry::never, Retry::always}) {
    CommunityResult sometimes;
    World world{.protocol = "sigma", .weather = "calm", .retry = retry};
    ASSERT_NO_FATAL_FAILURE(try_out(world, 300, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(Community, EverybodyAtOnce) {
  for (const World& world : all_protocols("crowded")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 200, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(Community, LostMessages) {
  for (const World& world : all_protocols("lossy")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 500, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(Community, CrashesPausesPartitionsSuspicionsAndNewRoots) {
  for (const World& world : all_protocols("stormy")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 700, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
    EXPECT_GT(sometimes.crashed, 0u) << "no holder or waiter crashed";
    EXPECT_GT(sometimes.lost, 0u) << "no lease ran out under its holder";
    EXPECT_GT(sometimes.outlived, 0u) << "nobody entered while a late holder was stopped";
    EXPECT_GT(sometimes.expired, 0u) << "no message was too old";
    EXPECT_GT(sometimes.unreachable, 0u) << "nothing was refused";
    EXPECT_GT(sometimes.kinds["RECALLED"], 0u) << "no replica had forgotten";
    EXPECT_GT(sometimes.kinds["MOVED"], 0u) << "no root changed";
    if (world.protocol == "end-to-end") {
      EXPECT_GT(sometimes.kinds["ACCEPTED"], 0u) << "nobody took over";
    }
    if (world.protocol == "non-end-to-end") {
      EXPECT_GT(sometimes.kinds["CLEANUP"], 0u) << "no broken way was cleared";
    }
  }
}

TEST(Community, ReplicasThatForget) {
  for (const World& world : all_protocols("shaky")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 200, sometimes));
    EXPECT_GT(sometimes.kinds["RECALLED"], 0u);
    EXPECT_GT(sometimes.kinds["RENEWED"], 0u);
  }
}

TEST(Community, WrongSuspicions) {
  for (const World& world : all_protocols("wary")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 100, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(Community, ReplicasThatForgetWhileNobodyAsks) {
  for (const World& world : all_protocols("idle")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 50, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
    EXPECT_GT(sometimes.kinds["RECALLED"], 0u);
  }
}

TEST(Community, AMajorityIsEnough) {
  for (const World& world : all_protocols("dead")) {
    CommunityResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 100, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(Community, OverPastryAndChord) {
  for (const char* overlay : {"pastry", "chord"}) {
    for (const char* weather : {"calm", "lossy", "stormy", "shaky"}) {
      for (World world : all_protocols(weather)) {
        CommunityResult sometimes;
        world.overlay = overlay;
        ASSERT_NO_FATAL_FAILURE(try_out(world, 10, sometimes));
        EXPECT_GT(sometimes.granted, 0u);
      }
    }
  }
}

/// A partition that lasts until the new roots of both halves serve makes two majorities, and two
/// holders (docs/limits.md). In one that ends before, everybody is served one after the other.
TEST(Community, TwoHoldersInALongPartitionAndNoneInAShortOne) {
  for (const char* overlay : {"pastry", "chord"}) {
    for (World world : all_protocols("parted")) {
      world.overlay = overlay;
      CommunityResult sometimes;
      for (std::uint64_t seed = 1; seed <= schedules(3); ++seed) {
        CommunityOptions options = world.options(seed);
        options.mishaps.apart = std::chrono::seconds(2);
        CommunityResult shorter = run_community(options);
        EXPECT_FALSE(shorter.violation) << world.repeat(seed) << " --apart 2s";
        sometimes.add(shorter);
        if (seed > 3) continue;
        CommunityResult longer = run_community(world.options(seed));
        ASSERT_TRUE(longer.violation) << world.repeat(seed);
        EXPECT_TRUE(is_safety(longer.violation->property)) << world.repeat(seed);
      }
      EXPECT_GT(sometimes.kinds["RECALL"], 0u) << "no root has changed in the short ones";
    }
  }
}

/// A root in quarantine that confirms a holder whom nobody has named: the old root may be alive.
TEST(Community, AHolderThatIsCutOffIsNotConfirmedByNewRoots) {
  World world{.protocol = "sigma", .weather = "parted", .overlay = "pastry"};
  CommunityOptions options = world.options(71);
  options.mishaps.apart = std::chrono::seconds(2);
  EXPECT_FALSE(run_community(options).violation);
  options.tuning.without = Without::named_holder;
  CommunityResult result = run_community(options);
  ASSERT_TRUE(result.violation);
  EXPECT_EQ(result.violation->property, Property::mutual_exclusion);
}

/// A root that was stopped until others had taken its place: schedules in which it once went on as
/// one, and others in which it still does without its lease on its keys.
TEST(Community, ARootThatWasStoppedDoesNotGoOnAsOne) {
  struct Schedule {
    const char* protocol;
    const char* overlay;
    unsigned replicas;
    std::uint64_t seed;
    World world() const {
      return {.protocol = protocol, .weather = "stormy", .replicas = replicas, .overlay = overlay};
    }
  };
  for (const Schedule& each : {Schedule{"sigma", "pastry", 3, 700642},
                               {"sigma", "pastry", 5, 701453},
                               {"non-end-to-end", "chord", 3, 700654},
                               {"non-end-to-end", "pastry", 3, 701622}})
    EXPECT_FALSE(run_community(each.world().options(each.seed)).violation)
        << each.world().repeat(each.seed);
  for (const Schedule& each : {Schedule{"sigma", "pastry", 3, 2392},
                               {"sigma", "pastry", 5, 26},
                               {"non-end-to-end", "chord", 3, 5966}}) {
    World world = each.world();
    EXPECT_FALSE(run_community(world.options(each.seed)).violation) << world.repeat(each.seed);
    world.without = Without::root_lease;
    CommunityResult result = run_community(world.options(each.seed));
    ASSERT_TRUE(result.violation) << world.repeat(each.seed);
    EXPECT_TRUE(is_safety(result.violation->property));
  }
}

/// A correction of docs/p2p.md that is removed, and the property that breaks then.
struct Specimen {
  std::string fault;
  World world;
  std::vector<Property> caught_by;
  /// The first schedule that catches it, when it was written.
  std::uint64_t first = 1;
};

void PrintTo(const Specimen& specimen, std::ostream* out) {
  *out << specimen.fault << " of " << specimen.world.protocol;
}

class Specimens : public testing::TestWithParam<Specimen> {};

TEST_P(Specimens, AreCaught) {
  const Specimen& specimen = GetParam();
  for (std::uint64_t seed = specimen.first; seed < specimen.first + 600; ++seed) {
    CommunityResult result = run_community(specimen.world.options(seed));
    if (!result.violation) continue;
    for (Property property : specimen.caught_by)
      if (result.violation->property == property) return;
  }
  FAIL() << specimen.fault << " of " << specimen.world.protocol << " is not caught";
}

constexpr auto me1 = Property::mutual_exclusion;
constexpr auto me2 = Property::progress;
constexpr auto fences = Property::fences;
constexpr auto sigma = "sigma";
constexpr auto e2e = "end-to-end";
constexpr auto non = "non-end-to-end";

Specimen without(Without rule, const char* fault, const char* protocol, const char* weather,
                 std::vector<Property> caught_by, std::uint64_t first,
                 HandOff hand_off = HandOff::winner) {
  World world{.protocol = protocol, .weather = weather, .hand_off = hand_off, .without = rule};
  return {fault, world, std::move(caught_by), first};
}

INSTANTIATE_TEST_SUITE_P(
    EveryCorrection, Specimens,
    testing::Values(
        without(Without::vote_generation, "F1", e2e, "calm", {fences, me1}, 329, HandOff::token),
        without(Without::kept_lock, "F2", e2e, "calm", {me1}, 2, HandOff::token),
        without(Without::told_holder, "F3", e2e, "calm", {me2}, 2),
        without(Without::late_enqueue, "F4", e2e, "calm", {me2}, 1),
        without(Without::least_generation, "F6", e2e, "calm", {me2}, 1),
        without(Without::vote_version, "F7", e2e, "crowded", {me2}, 9),
        without(Without::patience, "F8", e2e, "crowded", {me2}, 125),
        without(Without::token_once, "F9", e2e, "calm", {me1, fences}, 56),
        without(Without::pass_through, "F10", e2e, "calm", {me2}, 1),
        without(Without::bounce, "F11", e2e, "calm", {me2}, 19),
        without(Without::early_enqueue, "F12", e2e, "calm", {me2}, 18),
        without(Without::retry_generation, "F13", e2e, "calm", {me2}, 28),
        without(Without::bounce_guard, "F14", e2e, "calm", {fences}, 37, HandOff::token),
        without(Without::overridden, "F15", e2e, "crowded", {me2}, 72),
        without(Without::sent_token, "F17", e2e, "wary", {me1}, 1),
        without(Without::vote_life, "F18", e2e, "stormy", {fences}, 58),
        without(Without::quarantine, "C1", e2e, "shaky", {fences}, 99),
        without(Without::lease, "C2", e2e, "stormy", {me2}, 1),
        without(Without::majority, "D1", e2e, "dead", {me2}, 1),
        without(Without::self_fence, "self-fence", e2e, "stormy", {me1}, 29),
        without(Without::recall, "recall", e2e, "shaky", {fences}, 746),
        without(Without::fence_clock, "fence clock", e2e, "idle", {fences}, 1),
        without(Without::fence_clock, "fence clock", sigma, "idle", {fences}, 1),
        without(Without::fence_clock, "fence clock", non, "idle", {fences}, 1),
        without(Without::bounce, "S3", sigma, "calm", {me2}, 1),
        without(Without::vote_version, "F7", sigma, "crowded", {me2}, 193),
        without(Without::vote_life, "F18", sigma, "stormy", {fences}, 36),
        without(Without::quarantine, "C1", sigma, "shaky", {me1}, 3),
        without(Without::lease, "C2", sigma, "stormy", {me2}, 5),
        without(Without::majority, "D1", sigma, "dead", {me2}, 1),
        without(Without::stored_fence, "stored fence", sigma, "stormy", {fences}, 5),
        without(Without::self_fence, "self-fence", sigma, "stormy", {me1}, 20),
        without(Without::bounce, "N4", non, "crowded", {me2}, 47),
        without(Without::vote_version, "F7", non, "crowded", {me2}, 32),
        without(Without::patience, "F8", non, "calm", {me2}, 2),
        without(Without::forced_request, "N5", non, "crowded", {me2}, 12),
        without(Without::release_route, "N3", non, "calm", {me2}, 1),
        without(Without::voted_release, "N6", non, "crowded", {me2}, 41),
        without(Without::back_off, "S4", non, "calm", {me2}, 24),
        without(Without::quarantine, "C1", non, "shaky", {me1}, 3),
        without(Without::lease, "C2", non, "stormy", {me2}, 2),
        without(Without::majority, "D1", non, "dead", {me2}, 1),
        without(Without::stored_fence, "stored fence", non, "stormy", {fences}, 6),
        without(Without::self_fence, "self-fence", non, "stormy", {me1}, 6),
        without(Without::vote_life, "F18", non, "stormy", {fences, me1}, 34)));

TEST(Community, IsTheSameForTheSameSeed) {
  World world{.protocol = "end-to-end", .weather = "stormy"};
  CommunityResult one = run_community(world.options(7)), two = run_community(world.options(7));
  EXPECT_EQ(one.messages, two.messages);
  EXPECT_EQ(one.kinds, two.kinds);
  EXPECT_NE(one.messages, run_community(world.options(8)).messages);
}

}  // namespace conch::sim::community_test
