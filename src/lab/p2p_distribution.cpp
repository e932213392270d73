// Figures 4a, 4b and 4c of Muhammad, Cheema, Gupta 2005 (seed 002, section VI.B): how the load is
// spread over the nodes, with 10 and with 40 replicas of each resource.
#include <fmt/core.h>

#include <algorithm>

#include "lab/p2p.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

constexpr unsigned few = 10, many = 40, rounds = 20;
const std::vector<Who> everybody{Sg0, Sg1, Sg2, T0, T1, T2, Non};
constexpr double quantiles[] = {.25, .50, .75, .90, .99};

/// Both numbers of replicas, on one overlay.
struct Loads {
  std::string_view overlay;
  Outcomes with_few;
  Outcomes with_many;
};

std::vector<Loads> run_loads(const Seeds& seeds) {
  std::vector<sim::MultitudeOptions> worlds;
  for (std::string_view overlay : overlays)
    for (unsigned replicas : {few, many}) {
      sim::MultitudeOptions& world = worlds.emplace_back();
      world.overlay = overlay;
      world.nodes = 1000;
      world.locks = 10;
      world.rounds = rounds;
      world.replication.replicas = replicas;
    }
  std::vector<Outcomes> outcomes = run_all(worlds, everybody, seeds);
  std::vector<Loads> loads;
  for (std::size_t i = 0; i < std::size(overlays); ++i)
    loads.push_back({overlays[i], std::move(outcomes[2 * i]), std::move(outcomes[2 * i + 1])});
  return loads;
}

double mean(const std::vector<std::uint32_t>& loads) {
  double sum = 0;
  for (std::uint32_t load : loads) sum += load;
  return sum / static_cast<double>(loads.size());
}
/// The share of nodes whose load is at most this.
double share_up_to(const std::vector<std::uint32_t>& loads, double most) {
  auto below = std::count_if(loads.begin(), loads.end(), [&](auto load) { return load <= most; });
  return static_cast<double>(below) / static_cast<double>(loads.size());
}

void add_row(Table& table, std::string_view overlay, unsigned replicas, Who who,
             const Outcome& outcome) {
  std::vector<std::uint32_t> loads = outcome.loads;
  std::sort(loads.begin(), loads.end());
  std::vector<std::string> cells{std::string(overlay),
                                 std::to_string(replicas),
                                 std::string(rivals[who].name),
                                 fmt::format("{:.0f}", outcome.messages),
                                 fmt::format("{:.1f}", mean(loads) / rounds),
                                 fmt::format("{:.1f}", loads.back() / double{rounds})};
  for (double quantile : quantiles) {
    auto place = static_cast<std::size_t>(quantile * static_cast<double>(loads.size() - 1));
    cells.push_back(std::to_string(loads[place]));
  }
  cells.push_back(std::to_string(loads.back()));
  for (double most : {200., 700.})
    cells.push_back(fmt::format("{:.1f}", 100 * share_up_to(loads, most)));
  table.row(std::move(cells));
}

/// "Majority of the nodes have a load of so many messages a round or less."
std::string majority_remark(const Loads& loads, std::string_view figure, Who who, double most) {
  const auto& counts = loads.with_many[who].loads;
  double a_round = share_up_to(counts, most * rounds), in_all = share_up_to(counts, most);
  double highest = *std::max_element(counts.begin(), counts.end());
  return fmt::format(
      "Figure {}, {}, {}, 40 replicas: \"majority of the nodes have a load of {:.0f} "
      "messages/round "
      "or less\": {} for {:.1f} % of the nodes; nobody has more than {:.0f} a round. Read as "
      "totals "
      "of 20 rounds it {}, for {:.1f} %, and the highest is {:.0f}.",
      figure, loads.overlay, rivals[who].name, most, a_round > .5 ? "holds" : "does not hold",
      100 * a_round, highest / rounds, in_all > .5 ? "holds" : "does not hold", 100 * in_all,
      highest);
}

std::string replica_remark(const Loads& loads) {
  std::string text = fmt::format("Four times the replicas, {}:", loads.overlay);
  for (Who who : everybody)
    text += fmt::format(" {} x{:.2f},", rivals[who].name,
                        loads.with_many[who].messages / loads.with_few[who].messages);
  text.back() = '.';
  auto factor = [&](Who who) {
    return loads.with_many[who].messages / loads.with_few[who].messages;
  };
  return text + fmt::format(
                    " \"The load on each node increases\" (E2E, Sigma): {}. \"Does not have any "
                    "effect\" (Non E2E): {}.",
                    factor(T1) > 1.1 && factor(Sg1) > 1.1 ? "holds" : "does not hold",
                    factor(Non) < 1.1 ? "holds" : "does not hold");
}

std::vector<Banded> bands(const Loads& loads) {
  const Outcomes& o = loads.with_few;
  std::vector<Banded> bands{
      ratio_in(o, Sg1, T0, {1.7, 2.0}),
      ratio_in(o, Sg1, T1, {1.6, 1.9}),
      ratio_in(o, Sg1, Non, {1.55, 1.75}),
  };
  for (Who who : everybody)
    bands.push_back({fmt::format("{} at 40 / 10 replicas", rivals[who].name),
                     loads.with_many[who].messages / o[who].messages,
                     {3.4, 4.2}});
  return bands;
}

}  // namespace

Findings p2p_distribution(const Seeds& seeds) {
  std::vector<Loads> all = run_loads(seeds);
  Findings findings{
      fmt::format(
          "Figure 4: 1000 nodes, 10 resources, 20 rounds of 20 requests. The load of a node "
          "is what it gets or passes\non, fences included.\n{}",
          reading),
      Table({"overlay", "replicas", "protocol", "messages", "mean", "most", "25 %", "50 %", "75 %",
             "90 %", "99 %", "most", "<= 200", "<= 700"}),
      {}};
  findings.table.group("", 4);
  findings.table.group("load a round", 2);
  findings.table.group("load in 20 rounds: of so many nodes at most", 6);
  findings.table.group("% of nodes", 2);
  findings.table.align_left(2);
  for (const Loads& loads : all)
    for (unsigned replicas : {few, many})
      for (Who who : everybody)
        add_row(findings.table, loads.overlay, replicas, who,
                (replicas == few ? loads.with_few : loads.with_many)[who]);
  for (const Loads& loads : all) {
    findings.remarks.push_back(majority_remark(loads, "4a", T1, 200));
    findings.remarks.push_back(majority_remark(loads, "4b", Non, 180));
    findings.remarks.push_back(majority_remark(loads, "4c", Sg2, 700));
    findings.remarks.push_back(replica_remark(loads));
  }
  findings.remarks.push_back(band_remark(bands(all[0])));
  return findings;
}

}  // namespace conch::lab
