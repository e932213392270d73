// What the experiments of section VI of Muhammad, Cheema, Gupta 2005 have in common: the protocols
// that are compared, how they are run, and how their results are compared.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.hpp"
#include "sim/overlay_scale.hpp"

namespace conch::lab::p2p {

/// A protocol, with a choice for what the papers leave open about it.
struct Rival {
  std::string_view name;
  std::string_view protocol;
  RetryPolicy retry = RetryPolicy::never;
  HandOff hand_off = HandOff::winner;
};
/// Sg0, Sg1, Sg2: Sigma's waiters retry never, by informed back-off, or in every round. T0, T1, T2:
/// End-to-End hands the lock on with the token alone, with a new IAMWINNER, or with that and a
/// clean-up.
inline constexpr Rival rivals[] = {
    {"Sg0", "sigma", RetryPolicy::never},
    {"Sg1", "sigma", RetryPolicy::informed},
    {"Sg2", "sigma", RetryPolicy::always},
    {"T0", "end-to-end", RetryPolicy::never, HandOff::token},
    {"T1", "end-to-end", RetryPolicy::never, HandOff::winner},
    {"T2", "end-to-end", RetryPolicy::never, HandOff::cleanup},
    {"Non", "non-end-to-end"},
};
inline constexpr std::size_t rival_count = std::size(rivals);
/// Indices into `rivals`.
enum Who : std::size_t { Sg0, Sg1, Sg2, T0, T1, T2, Non };
inline constexpr std::string_view overlays[] = {"pastry", "chord"};
inline std::string_view title(std::string_view overlay) {
  return overlay == overlays[0] ? "Pastry" : "Chord";
}

/// The results of one protocol: means over the seeds, but `loads` and `peaks` have the values of
/// all seeds.
struct ProtocolMeans {
  Sample messages;
  double fencing = 0;
  double handover = 0;
  double granted = 0;
  /// The share of requests to replicas that a node on the way intercepts.
  double intercepted = 0;
  double mean_route = 0;
  /// Messages per node: in all rounds, and the most in a single round.
  std::vector<std::uint32_t> loads;
  std::vector<std::uint32_t> peaks;
};
/// The outcomes of one world, by `Who`. A protocol that did not run has no messages.
using Outcomes = std::array<ProtocolMeans, rival_count>;

/// The world that the settings describe. A setting with several values keeps the default of
/// OverlayScaleOptions; the caller sets it.
sim::OverlayScaleOptions world_of(const Setup& setup);
sim::OverlayScaleOptions with(sim::OverlayScaleOptions world, const Rival& rival,
                              std::uint64_t seed);
/// The settings in words: "65 resources with 10 replicas each, 20 rounds of 20 requests".
std::string print_world(const Setup& setup);

/// Runs each of these rivals in each of these worlds, on all cores.
std::vector<Outcomes> run_all(const std::vector<sim::OverlayScaleOptions>& worlds,
                              const std::vector<Who>& who, const Seeds& seeds);

/// A closed interval.
struct Interval {
  double least = 0;
  double most = 0;
  bool contains(double value) const { return least <= value && value <= most; }
  std::string print(int digits = 2) const;
};
Interval range_of(const std::vector<double>& values);

/// `holds` if all claims of several hold, `in_part` if some do.
ClaimVerdict verdict_of(std::size_t holding, std::size_t of);

/// A measured value, and the band in which a faithful implementation has it (docs/lab.md).
struct Banded {
  std::string what;
  double value = 0;
  Interval band;
};
std::string band_remark(const std::vector<Banded>& measured);
/// The messages of `one` divided by those of `other`.
double ratio(const Outcomes& outcomes, Who one, Who other);
/// The standard deviation of that ratio, taking both as independent.
double ratio_deviation(const Outcomes& outcomes, Who one, Who other);
Banded ratio_in(const Outcomes& outcomes, Who one, Who other, Interval band);

/// The text below every p2p table: what is counted, and what the names mean.
inline constexpr std::string_view reading =
    "Counted is every hop of the overlay and every direct message; not what stores a fence before "
    "an entry\n(Sigma, Non), which the papers do not have. Sigma's clients know replicas by their "
    "keys, and route all that\nis for one. Sg0, Sg1, Sg2: Sigma whose waiters ask again "
    "never, by informed back-off, in every round; T0, T1, T2:\nEnd-to-End that hands the lock on "
    "with nothing else, a new IAMWINNER, that and a clean-up; Non: Non-End-to-End.";

}  // namespace conch::lab::p2p
