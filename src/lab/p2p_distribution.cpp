// Figures 4a, 4b and 4c of Muhammad, Cheema, Gupta 2005 (section VI.B): how the load is
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

std::vector<Loads> run_loads(const Seeds& seeds, unsigned nodes) {
  std::vector<sim::MultitudeOptions> worlds;
  for (std::string_view overlay : overlays)
    for (unsigned replicas : {few, many}) {
      sim::MultitudeOptions& world = worlds.emplace_back();
      world.overlay = overlay;
      world.nodes = nodes;
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
                                 fmt::format("{:.0f}", outcome.messages.mean()),
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

/// What the paper reads off its three figures.
struct Majority {
  std::string_view figure;
  Who who;
  double most;
  /// The highest loads that it has, if it says.
  double tail_least, tail_most;
};
constexpr Majority majorities[] = {
    {"4a", T1, 200, 0, 0}, {"4b", Non, 180, 550, 680}, {"4c", Sg2, 700, 2500, 3500}};

Claim majority_claim(const Loads& loads, const Majority& majority) {
  const auto& counts = loads.with_many[majority.who].loads;
  double a_round = share_up_to(counts, majority.most * rounds);
  double in_all = share_up_to(counts, majority.most);
  double highest = *std::max_element(counts.begin(), counts.end());
  std::string paper = fmt::format("most at most {:.0f}", majority.most);
  if (majority.tail_most > 0)
    paper += fmt::format(", some {:.0f} to {:.0f}", majority.tail_least, majority.tail_most);
  return {fmt::format("Muhammad 2005, figure {}", majority.figure),
          fmt::format("Most nodes get at most {:.0f} messages in a round ({}, {}, 40 replicas).",
                      majority.most, rivals[majority.who].name, title(loads.overlay)),
          paper,
          fmt::format("Nobody gets more than {:.0f} in a round, {:.1f} % of the nodes no more than "
                      "{:.0f}. As totals of 20 rounds it {}, for {:.1f} %, and the highest is "
                      "{:.0f}.",
                      highest / rounds, 100 * a_round, majority.most,
                      in_all > .5 ? "holds" : "does not hold", 100 * in_all, highest),
          a_round <= .5                            ? Verdict::does_not_hold
          : highest / rounds < majority.tail_least ? Verdict::in_part
                                                   : Verdict::holds};
}

double growth(const Loads& loads, Who who) {
  return loads.with_many[who].messages.mean() / loads.with_few[who].messages.mean();
}

std::vector<Claim> replica_claims(const Loads& loads) {
  auto listed = [&](const std::vector<Who>& who) {
    std::string text;
    for (Who each : who)
      text += fmt::format("{}{} x{:.2f}", text.empty() ? "" : ", ", rivals[each].name,
                          growth(loads, each));
    return text + ".";
  };
  return {
      {"Muhammad 2005, figures 4a, 4c",
       fmt::format("Four times the replicas are more load for E2E and Sigma ({}).",
                   title(loads.overlay)),
       "", listed({T0, T1, T2, Sg0, Sg1, Sg2}),
       judged(growth(loads, T1) > 1.1 && growth(loads, Sg1) > 1.1)},
      {"Muhammad 2005, figure 4b",
       fmt::format("... and have no effect on Non-E2E ({}).", title(loads.overlay)), "no effect",
       listed({Non}) + " Each replica needs a REQUEST, an answer and a RELEASE.",
       judged(growth(loads, Non) < 1.1)},
  };
}

/// Its points where the share is a whole percent, and the highest.
void add_distribution(Series& series, std::vector<std::uint32_t> loads) {
  std::sort(loads.begin(), loads.end());
  for (int percent = 0; percent <= 100; ++percent) {
    auto place = static_cast<std::size_t>(percent * static_cast<double>(loads.size() - 1) / 100);
    double load = loads[place];
    if (!series.points.empty() && series.points.back().x == load) series.points.pop_back();
    series.points.push_back({load, static_cast<double>(percent)});
  }
}

Figure draw(const std::vector<Loads>& all, const Majority& majority) {
  Figure figure{fmt::format("Load of the nodes: {}", rivals[majority.who].name),
                fmt::format("Muhammad 2005, figure {}", majority.figure),
                Shape::steps,
                {"load in 20 rounds", "messages"},
                {"nodes with at most this load", "%"}};
  for (const Loads& loads : all) {
    add_distribution(figure.at(fmt::format("{}, 10 replicas", title(loads.overlay))),
                     loads.with_few[majority.who].loads);
    add_distribution(figure.at(fmt::format("{}, 40 replicas", title(loads.overlay))),
                     loads.with_many[majority.who].loads);
  }
  auto mark = [&](const std::string& name, double load) {
    figure.at(name, Whose::paper).points = {{load, 0}, {load, 100}};
  };
  mark(fmt::format("most nodes up to {:.0f}", majority.most), majority.most);
  if (majority.tail_most > 0)
    mark(fmt::format("some up to {:.0f}", majority.tail_most), majority.tail_most);
  return figure;
}

Figure draw_growth(const std::vector<Loads>& all) {
  Figure figure{"Messages with 40 replicas to those with 10",
                "Muhammad 2005, figure 4",
                Shape::bars,
                {"protocol"},
                {"messages with 40 replicas / with 10"}};
  for (Who who : everybody) {
    figure.x.names.emplace_back(rivals[who].name);
    for (const Loads& loads : all)
      figure.at(title(loads.overlay))
          .points.push_back({static_cast<double>(who), growth(loads, who)});
  }
  figure.at("no effect on Non-E2E", Whose::paper).points = {{static_cast<double>(Non), 1}};
  return figure;
}

std::vector<Banded> bands(const Loads& loads) {
  const Outcomes& o = loads.with_few;
  std::vector<Banded> bands{
      ratio_in(o, Sg1, T0, {1.7, 2.0}),
      ratio_in(o, Sg1, T1, {1.6, 1.9}),
      ratio_in(o, Sg1, Non, {1.55, 1.75}),
  };
  for (Who who : everybody)
    bands.push_back(
        {fmt::format("{} at 40 / 10 replicas", rivals[who].name), growth(loads, who), {3.4, 4.2}});
  return bands;
}

}  // namespace

Findings p2p_distribution(const Setup& setup) {
  unsigned nodes = setup.scale == Scale::smoke ? 200 : 1000;
  std::vector<Loads> all = run_loads(setup.seeds, nodes);
  Findings findings{
      fmt::format("Figure 4: {} nodes, 10 resources, 20 rounds of 20 requests. The load of a node "
                  "is what it gets or passes\non, fences included.\n{}",
                  nodes, reading),
      Table({"overlay", "replicas", "protocol", "messages", "mean", "most", "25 %", "50 %", "75 %",
             "90 %", "99 %", "most", "<= 200", "<= 700"})};
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
    for (const Majority& majority : majorities)
      findings.claims.push_back(majority_claim(loads, majority));
    for (Claim& claim : replica_claims(loads)) findings.claims.push_back(std::move(claim));
  }
  for (const Majority& majority : majorities) findings.figures.push_back(draw(all, majority));
  findings.figures.push_back(draw_growth(all));
  findings.remarks.push_back(band_remark(bands(all[0])));
  return findings;
}

}  // namespace conch::lab
