// What the experiments of section VI of Muhammad, Cheema, Gupta 2005 have in common: who
// runs against whom, and how what comes out is compared.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.hpp"
#include "sim/multitude.hpp"

namespace conch::lab::p2p {

/// A protocol, and what the papers leave open about it.
struct Rival {
  std::string_view name;
  std::string_view protocol;
  Retry retry = Retry::never;
  HandOff hand_off = HandOff::winner;
};
/// Sigma's waiters ask again never, by informed back-off, or in every round; End-to-End hands the
/// lock on with nothing else, with a new IAMWINNER, or with that and a clean-up.
inline constexpr Rival rivals[] = {
    {"Sg0", "sigma", Retry::never},
    {"Sg1", "sigma", Retry::informed},
    {"Sg2", "sigma", Retry::always},
    {"T0", "end-to-end", Retry::never, HandOff::token},
    {"T1", "end-to-end", Retry::never, HandOff::winner},
    {"T2", "end-to-end", Retry::never, HandOff::cleanup},
    {"Non", "non-end-to-end"},
};
inline constexpr std::size_t rival_count = std::size(rivals);
/// Of those above.
enum Who : std::size_t { Sg0, Sg1, Sg2, T0, T1, T2, Non };
inline constexpr std::string_view overlays[] = {"pastry", "chord"};
inline std::string_view title(std::string_view overlay) {
  return overlay == overlays[0] ? "Pastry" : "Chord";
}

/// Over the seeds, means; of loads, all of all seeds.
struct Outcome {
  Sample messages;
  double fencing = 0;
  double handover = 0;
  double granted = 0;
  /// The share of requests to replicas that somebody on the way stops.
  double intercepted = 0;
  double mean_route = 0;
  /// Of each node, in all rounds and most in a single one.
  std::vector<std::uint32_t> loads;
  std::vector<std::uint32_t> peaks;
};
/// Of one world; those that did not run have no messages.
using Outcomes = std::array<Outcome, rival_count>;

/// What the settings say, but for those that have several values.
sim::MultitudeOptions world_of(const Setup& setup);
sim::MultitudeOptions with(sim::MultitudeOptions world, const Rival& rival, std::uint64_t seed);
/// The settings in words: "65 resources with 10 replicas each, 20 rounds of 20 requests".
std::string print_world(const Setup& setup);

/// Each of these rivals in each of these worlds, on all cores.
std::vector<Outcomes> run_all(const std::vector<sim::MultitudeOptions>& worlds,
                              const std::vector<Who>& who, const Seeds& seeds);

/// From the least to the most of several.
struct Range {
  double least = 0;
  double most = 0;
  bool contains(double value) const { return least <= value && value <= most; }
  std::string print(int digits = 2) const;
};
Range range_of(const std::vector<double>& values);

/// Holds, if all of several do; in part, if some do.
Verdict verdict_of(std::size_t holding, std::size_t of);

/// Something that was measured, and where a faithful implementation has it (docs/p2p-lab.md).
struct Banded {
  std::string what;
  double value = 0;
  Range band;
};
std::string band_remark(const std::vector<Banded>& measured);
/// The messages of the one for each of the other.
double ratio(const Outcomes& outcomes, Who one, Who other);
/// As if both vary independently.
double ratio_deviation(const Outcomes& outcomes, Who one, Who other);
Banded ratio_in(const Outcomes& outcomes, Who one, Who other, Range band);

/// What all settings have in common, and how it is read.
inline constexpr std::string_view reading =
    "Counted is every hop of the overlay and every direct message; not what stores a fence before "
    "an entry\n(Sigma, Non), which the papers do not have. Sigma's clients know replicas by their "
    "keys, and route all that\nis for one. Sg0, Sg1, Sg2: Sigma whose waiters ask again "
    "never, by informed back-off, in every round; T0, T1, T2:\nEnd-to-End that hands the lock on "
    "with nothing else, a new IAMWINNER, that and a clean-up; Non: Non-End-to-End.";

}  // namespace conch::lab::p2p
