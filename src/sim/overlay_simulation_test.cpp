// Protocols over an overlay, with everything that can go wrong, and also without their corrections.
//
// CONCH_SCHEDULES=2000 runs so many schedules of each world instead of a few. A failing run prints
// the command that repeats it.
#include "sim/overlay_simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "catalog/classes.hpp"
#include "sim/protocol_rules.hpp"

namespace conch::sim::overlay_simulation_test {

struct World {
  std::string protocol;
  std::string weather;
  unsigned replicas = 3;
  HandOff hand_off = HandOff::winner;
  RetryPolicy retry = RetryPolicy::informed;
  std::string_view without = {};
  /// If empty, a perfect one; the seed says which.
  std::string overlay = {};

  OverlaySimulationOptions options(std::uint64_t seed) const {
    OverlaySimulationOptions options = OverlaySimulationOptions::of(protocol, weather);
    options.seed = seed;
    options.overlay = overlay;
    if (overlay.empty()) options.overlay = seed % 2 == 0 ? "perfect-pastry" : "perfect-chord";
    options.tuning.replication.replicas = replicas;
    options.tuning.replication.hand_off = hand_off;
    options.tuning.replication.retry = retry;
    if (!without.empty()) options.tuning.policy = policy_without(without);
    return options;
  }
  std::string repeat(std::uint64_t seed) const {
    OverlaySimulationOptions run = options(seed);
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

void try_out(World world, std::uint64_t usual, OverlaySimulationResult& sometimes) {
  for (unsigned replicas : {3u, 5u}) {
    world.replicas = replicas;
    for (std::uint64_t seed = 1; seed <= schedules(usual); ++seed) {
      OverlaySimulationResult result = simulate_overlay(world.options(seed));
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

TEST(OverlaySimulation, ReorderedAndRepeatedMessages) {
  for (const World& world : all_protocols("calm")) {
    OverlaySimulationResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 500, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
    EXPECT_GT(sometimes.cancelled, 0u);
    EXPECT_GT(sometimes.kinds["YIELD"], 0u) << world.protocol;
  }
}

TEST(OverlaySimulation, SigmaAsksAgainNeverOrAlways) {
  for (RetryPolicy retry : {RetryPolicy::never, RetryPolicy::always}) {
    OverlaySimulationResult sometimes;
    World world{.protocol = "sigma", .weather = "calm", .retry = retry};
    ASSERT_NO_FATAL_FAILURE(try_out(world, 300, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(OverlaySimulation, EverybodyAtOnce) {
  for (const World& world : all_protocols("crowded")) {
    OverlaySimulationResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 200, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(OverlaySimulation, LostMessages) {
  for (const World& world : all_protocols("lossy")) {
    OverlaySimulationResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 500, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(OverlaySimulation, CrashesPausesPartitionsSuspicionsAndNewRoots) {
  for (const World& world : all_protocols("stormy")) {
    OverlaySimulationResult sometimes;
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

TEST(OverlaySimulation, ReplicasThatForget) {
  for (const World& world : all_protocols("shaky")) {
    OverlaySimulationResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 200, sometimes));
    EXPECT_GT(sometimes.kinds["RECALLED"], 0u);
    EXPECT_GT(sometimes.kinds["RENEWED"], 0u);
  }
}

TEST(OverlaySimulation, WrongSuspicions) {
  for (const World& world : all_protocols("wary")) {
    OverlaySimulationResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 100, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(OverlaySimulation, ReplicasThatForgetWhileNobodyAsks) {
  for (const World& world : all_protocols("idle")) {
    OverlaySimulationResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 50, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
    EXPECT_GT(sometimes.kinds["RECALLED"], 0u);
  }
}

TEST(OverlaySimulation, AMajorityIsEnough) {
  for (const World& world : all_protocols("dead")) {
    OverlaySimulationResult sometimes;
    ASSERT_NO_FATAL_FAILURE(try_out(world, 100, sometimes));
    EXPECT_GT(sometimes.granted, 0u);
  }
}

TEST(OverlaySimulation, OverPastryAndChord) {
  for (const char* overlay : {"pastry", "chord"}) {
    for (const char* weather : {"calm", "lossy", "stormy", "shaky"}) {
      for (World world : all_protocols(weather)) {
        OverlaySimulationResult sometimes;
        world.overlay = overlay;
        ASSERT_NO_FATAL_FAILURE(try_out(world, 10, sometimes));
        EXPECT_GT(sometimes.granted, 0u);
      }
    }
  }
}

/// A partition that lasts until the new roots of both halves serve makes two majorities, and two
/// holders (docs/limits.md). In one that ends before, all are served one after the other.
TEST(OverlaySimulation, TwoHoldersInALongPartitionAndNoneInAShortOne) {
  for (const char* overlay : {"pastry", "chord"}) {
    for (World world : all_protocols("parted")) {
      world.overlay = overlay;
      OverlaySimulationResult sometimes;
      for (std::uint64_t seed = 1; seed <= schedules(3); ++seed) {
        OverlaySimulationOptions options = world.options(seed);
        options.mishaps.apart = std::chrono::seconds(2);
        OverlaySimulationResult shorter = simulate_overlay(options);
        EXPECT_FALSE(shorter.violation) << world.repeat(seed) << " --apart 2s";
        sometimes.add(shorter);
        if (seed > 3) continue;
        OverlaySimulationResult longer = simulate_overlay(world.options(seed));
        ASSERT_TRUE(longer.violation) << world.repeat(seed);
        EXPECT_TRUE(is_safety(longer.violation->property)) << world.repeat(seed);
      }
      EXPECT_GT(sometimes.kinds["RECALL"], 0u) << "no root has changed in the short ones";
    }
  }
}

/// A root in quarantine must not confirm a holder that no node has named: the old root may be
/// alive.
TEST(OverlaySimulation, AHolderThatIsCutOffIsNotConfirmedByNewRoots) {
  World world{.protocol = "sigma", .weather = "parted", .overlay = "pastry"};
  OverlaySimulationOptions options = world.options(71);
  options.mishaps.apart = std::chrono::seconds(2);
  EXPECT_FALSE(simulate_overlay(options).violation);
  options.tuning.policy = policy_without("named-holder");
  OverlaySimulationResult result = simulate_overlay(options);
  ASSERT_TRUE(result.violation);
  EXPECT_EQ(result.violation->property, Property::mutual_exclusion);
}

/// A root was stopped until others had taken its place. In the first schedules it once went on as a
/// root; in the others it still does, without its lease on its keys.
TEST(OverlaySimulation, ARootThatWasStoppedDoesNotGoOnAsOne) {
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
    EXPECT_FALSE(simulate_overlay(each.world().options(each.seed)).violation)
        << each.world().repeat(each.seed);
  for (const Schedule& each : {Schedule{"sigma", "pastry", 3, 2392},
                               {"sigma", "pastry", 5, 26},
                               {"non-end-to-end", "chord", 3, 5966}}) {
    World world = each.world();
    EXPECT_FALSE(simulate_overlay(world.options(each.seed)).violation) << world.repeat(each.seed);
    world.without = "root-lease";
    OverlaySimulationResult result = simulate_overlay(world.options(each.seed));
    ASSERT_TRUE(result.violation) << world.repeat(each.seed);
    EXPECT_TRUE(is_safety(result.violation->property));
  }
}

/// A correction of docs/corrections.md that is removed, and the property that breaks then.
struct Specimen {
  World world;
  std::vector<Property> caught_by;
  /// The first schedule that caught it when this was written.
  std::uint64_t first = 1;
};

void PrintTo(const Specimen& specimen, std::ostream* out) {
  *out << specimen.world.protocol << " without " << specimen.world.without;
}

class Specimens : public testing::TestWithParam<Specimen> {};

TEST_P(Specimens, AreCaught) {
  const Specimen& specimen = GetParam();
  for (std::uint64_t seed = specimen.first; seed < specimen.first + 600; ++seed) {
    OverlaySimulationResult result = simulate_overlay(specimen.world.options(seed));
    if (!result.violation) continue;
    for (Property property : specimen.caught_by)
      if (result.violation->property == property) return;
  }
  FAIL() << specimen.world.protocol << " without " << specimen.world.without << " is not caught";
}

constexpr auto me1 = Property::mutual_exclusion;
constexpr auto me2 = Property::progress;
constexpr auto fences = Property::fences;
constexpr auto sigma = "sigma";
constexpr auto e2e = "end-to-end";
constexpr auto non = "non-end-to-end";

Specimen without(std::string_view rule, const char* protocol, const char* weather,
                 std::vector<Property> caught_by, std::uint64_t first,
                 HandOff hand_off = HandOff::winner) {
  World world{.protocol = protocol, .weather = weather, .hand_off = hand_off, .without = rule};
  return {world, std::move(caught_by), first};
}

INSTANTIATE_TEST_SUITE_P(
    EveryCorrection, Specimens,
    testing::Values(
        without("vote-generation", e2e, "calm", {fences, me1}, 329, HandOff::token),
        without("kept-lock", e2e, "calm", {me1}, 2, HandOff::token),
        without("told-holder", e2e, "calm", {me2}, 2),
        without("late-enqueue", e2e, "calm", {me2}, 1),
        without("least-generation", e2e, "calm", {me2}, 1),
        without("vote-version", e2e, "crowded", {me2}, 9),
        without("patience", e2e, "crowded", {me2}, 125),
        without("token-once", e2e, "calm", {me1, fences}, 56),
        without("pass-through", e2e, "calm", {me2}, 1), without("bounce", e2e, "calm", {me2}, 19),
        without("early-enqueue", e2e, "calm", {me2}, 18),
        without("retry-generation", e2e, "calm", {me2}, 28),
        without("bounce-guard", e2e, "calm", {fences}, 37, HandOff::token),
        without("overridden", e2e, "crowded", {me2}, 72),
        without("sent-token", e2e, "wary", {me1}, 1),
        without("vote-life", e2e, "stormy", {fences}, 58),
        without("quarantine", e2e, "shaky", {fences}, 99),
        without("lease", e2e, "stormy", {me2}, 1), without("majority", e2e, "dead", {me2}, 1),
        without("self-fence", e2e, "stormy", {me1}, 29),
        without("recall", e2e, "shaky", {fences}, 746),
        without("fence-clock", e2e, "idle", {fences}, 1),
        without("fence-clock", sigma, "idle", {fences}, 1),
        without("fence-clock", non, "idle", {fences}, 1),
        without("bounce", sigma, "calm", {me2}, 1),
        without("vote-version", sigma, "crowded", {me2}, 193),
        without("vote-life", sigma, "stormy", {fences}, 36),
        without("quarantine", sigma, "shaky", {me1}, 3),
        without("lease", sigma, "stormy", {me2}, 5), without("majority", sigma, "dead", {me2}, 1),
        without("stored-fence", sigma, "stormy", {fences}, 5),
        without("self-fence", sigma, "stormy", {me1}, 20),
        without("bounce", non, "crowded", {me2}, 47),
        without("vote-version", non, "crowded", {me2}, 32),
        without("patience", non, "calm", {me2}, 2),
        without("forced-request", non, "crowded", {me2}, 12),
        without("release-route", non, "calm", {me2}, 1),
        without("voted-release", non, "crowded", {me2}, 41),
        without("back-off", non, "calm", {me2}, 24), without("quarantine", non, "shaky", {me1}, 3),
        without("lease", non, "stormy", {me2}, 2), without("majority", non, "dead", {me2}, 1),
        without("stored-fence", non, "stormy", {fences}, 6),
        without("self-fence", non, "stormy", {me1}, 6),
        without("vote-life", non, "stormy", {fences, me1}, 34)));

TEST(OverlaySimulation, IsTheSameForTheSameSeed) {
  World world{.protocol = "end-to-end", .weather = "stormy"};
  OverlaySimulationResult one = simulate_overlay(world.options(7)),
                          two = simulate_overlay(world.options(7));
  EXPECT_EQ(one.messages, two.messages);
  EXPECT_EQ(one.kinds, two.kinds);
  EXPECT_NE(one.messages, simulate_overlay(world.options(8)).messages);
}

}  // namespace conch::sim::overlay_simulation_test
