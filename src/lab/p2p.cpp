#include "lab/p2p.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/parallel.hpp"

namespace conch::lab::p2p {

namespace {

void add(ProtocolMeans& outcome, const sim::OverlayScaleResult& result, double runs) {
  outcome.messages.add(static_cast<double>(result.counted()));
  outcome.fencing += static_cast<double>(result.fencing) / runs;
  outcome.handover += static_cast<double>(result.handover) / runs;
  outcome.granted += static_cast<double>(result.granted) / runs;
  outcome.intercepted +=
      static_cast<double>(result.intercepted) / static_cast<double>(result.routed) / runs;
  outcome.mean_route += result.mean_route / runs;
  outcome.loads.insert(outcome.loads.end(), result.loads.begin(), result.loads.end());
  outcome.peaks.insert(outcome.peaks.end(), result.peaks.begin(), result.peaks.end());
}

}  // namespace

sim::OverlayScaleOptions with(sim::OverlayScaleOptions world, const Rival& rival,
                              std::uint64_t seed) {
  world.protocol = rival.protocol;
  world.replication.retry = rival.retry;
  world.replication.hand_off = rival.hand_off;
  world.by_keys = rival.protocol == "sigma";
  world.seed = seed;
  return world;
}

sim::OverlayScaleOptions world_of(const Setup& setup) {
  sim::OverlayScaleOptions world;
  auto set = [&](std::string_view name, auto& value) {
    auto found = setup.settings.find(name);
    if (found != setup.settings.end() && found->second.size() == 1)
      value = setup.number<std::remove_reference_t<decltype(value)>>(name);
  };
  set("nodes", world.nodes);
  set("replicas", world.replication.replicas);
  set("resources", world.locks);
  set("rounds", world.rounds);
  set("requests", world.requests);
  set("churn", world.churn);
  return world;
}

std::string print_world(const Setup& setup) {
  auto number = [&](std::string_view name) {
    std::string text;
    for (double value : setup.settings.at(name))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
    return text;
  };
  return fmt::format("{} nodes, {} resources with {} replicas each, {} rounds of {} requests",
                     number("nodes"), number("resources"), number("replicas"), number("rounds"),
                     number("requests"));
}

std::vector<Outcomes> run_all(const std::vector<sim::OverlayScaleOptions>& worlds,
                              const std::vector<Who>& who, const Seeds& seeds) {
  std::uint64_t runs = seeds.count();
  std::vector<sim::OverlayScaleResult> results(worlds.size() * who.size() * runs);
  // The largest worlds are last, so they are started first.
  in_parallel(results.size(), [&](std::size_t turn) {
    std::size_t index = results.size() - 1 - turn;
    const Rival& rival = rivals[who[index / runs % who.size()]];
    const sim::OverlayScaleOptions& world = worlds[index / runs / who.size()];
    results[index] = sim::run_overlay_scale(with(world, rival, seeds.first + index % runs));
  });
  std::vector<Outcomes> outcomes(worlds.size());
  for (std::size_t index = 0; index < results.size(); ++index) {
    CONCH_EXPECT(!results[index].violation, "every property holds");
    Outcomes& world = outcomes[index / runs / who.size()];
    add(world[who[index / runs % who.size()]], results[index], static_cast<double>(runs));
  }
  return outcomes;
}

std::string Interval::print(int digits) const {
  std::string low = fmt::format("{:.{}f}", least, digits),
              high = fmt::format("{:.{}f}", most, digits);
  return low == high ? low : low + " to " + high;
}

Interval range_of(const std::vector<double>& values) {
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, *most};
}

ClaimVerdict verdict_of(std::size_t holding, std::size_t of) {
  return holding == of  ? ClaimVerdict::holds
         : holding == 0 ? ClaimVerdict::does_not_hold
                        : ClaimVerdict::in_part;
}

std::string band_remark(const std::vector<Banded>& measured) {
  std::string outside;
  std::size_t inside = 0;
  for (const Banded& each : measured) {
    int digits = each.band.most >= 100 ? 0 : 3;
    bool fits = each.band.contains(each.value);
    inside += fits;
    if (!fits)
      outside += fmt::format("{}{} {:.{}f} ({})", outside.empty() ? "" : ", ", each.what,
                             each.value, digits, each.band.print(digits));
  }
  std::string text = fmt::format("Bands of a faithful implementation, on Pastry: {} of {} inside",
                                 inside, measured.size());
  return text + (outside.empty() ? "." : "; outside: " + outside + ".");
}

double ratio(const Outcomes& outcomes, Who one, Who other) {
  return outcomes[one].messages.mean() / outcomes[other].messages.mean();
}

double ratio_deviation(const Outcomes& outcomes, Who one, Who other) {
  auto relative = [&](Who who) {
    return outcomes[who].messages.deviation() / outcomes[who].messages.mean();
  };
  return ratio(outcomes, one, other) * std::hypot(relative(one), relative(other));
}

Banded ratio_in(const Outcomes& outcomes, Who one, Who other, Interval band) {
  return {fmt::format("{}/{}", rivals[one].name, rivals[other].name), ratio(outcomes, one, other),
          band};
}

}  // namespace conch::lab::p2p
