// Figures 3a and 3b of Muhammad, Cheema, Gupta 2005 (seed 002, section VI.A): messages against the
// number of nodes, and against the requests in each round.
#include <fmt/core.h>

#include <cmath>

#include "lab/p2p.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

/// What a first model of the corrected protocols counted on Pastry: the rows of docs/p2p-lab.md.
struct Reference {
  unsigned at;
  double messages[rival_count];
};
constexpr Reference by_nodes[] = {
    {500, {26462, 31628, 42455, 25707, 28210, 30109, 23039}},
    {1000, {29047, 34217, 45408, 28910, 31204, 33646, 25700}},
    {2000, {31337, 37280, 47769, 31159, 34154, 36889, 28334}},
    {3500, {31692, 38679, 50728, 32568, 35286, 38500, 29538}},
    {5000, {32939, 40599, 53223, 32746, 36726, 39135, 30936}},
    {6500, {34087, 40850, 52310, 34434, 37568, 41153, 30957}},
    {10000, {35473, 42771, 55779, 35618, 39929, 42615, 32560}},
};
constexpr Reference by_requests[] = {
    {10, {16342, 18293, 21143, 18274, 19170, 20147, 15395}},
    {20, {34224, 41652, 53703, 33694, 37204, 40626, 30947}},
    {40, {64433, 90884, 167381, 55640, 63884, 72278, 65075}},
    {60, {85970, 133709, 300253, 77567, 86354, 96847, 91568}},
    {80, {102666, 170863, 464657, 92606, 102705, 114974, 111887}},
    {100, {120316, 205559, 625529, 111680, 121955, 134614, 127627}},
};

const std::vector<Who> everybody{Sg0, Sg1, Sg2, T0, T1, T2, Non};

/// One figure on one overlay.
struct Figure {
  std::string_view overlay;
  std::vector<unsigned> at;
  std::vector<Outcomes> outcomes;

  const Outcomes& of(unsigned value) const {
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] == value) return outcomes[i];
    return outcomes.back();
  }
  Range ratios(Who one, Who other, unsigned from = 0) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] >= from) ratios.push_back(ratio(outcomes[i], one, other));
    return range_of(ratios);
  }
};

template <std::size_t N, class Set>
std::vector<Figure> run_figure(const Reference (&rows)[N], const Seeds& seeds, Set&& set) {
  std::vector<Figure> figures;
  for (std::string_view overlay : overlays) {
    Figure figure{overlay, {}, {}};
    std::vector<sim::MultitudeOptions> worlds;
    for (const Reference& row : rows) {
      figure.at.push_back(row.at);
      worlds.emplace_back().overlay = overlay;
      set(worlds.back(), row.at);
    }
    figure.outcomes = run_all(worlds, everybody, seeds);
    figures.push_back(std::move(figure));
  }
  return figures;
}

void add_row(Table& table, std::string_view overlay, unsigned at, const Outcomes& outcomes) {
  std::vector<std::string> cells{std::string(overlay), std::to_string(at)};
  for (const Outcome& outcome : outcomes) cells.push_back(fmt::format("{:.0f}", outcome.messages));
  for (Who sigma : {Sg0, Sg1, Sg2})
    for (Who other : {T0, T1, Non})
      cells.push_back(fmt::format("{:.2f}", ratio(outcomes, sigma, other)));
  table.row(std::move(cells));
}

template <std::size_t N>
Table table_of(const Reference (&rows)[N], const std::vector<Figure>& figures,
               std::string_view what) {
  std::vector<std::string> columns{"overlay", std::string(what)};
  for (const Rival& rival : rivals) columns.emplace_back(rival.name);
  for (std::string_view sigma : {"Sg0", "Sg1", "Sg2"})
    for (std::string_view other : {"T0", "T1", "Non"})
      columns.push_back(fmt::format("{}/{}", sigma, other));
  Table table(columns);
  for (const Figure& figure : figures)
    for (std::size_t i = 0; i < figure.at.size(); ++i)
      add_row(table, figure.overlay, figure.at[i], figure.outcomes[i]);
  for (const Reference& row : rows) {
    Outcomes outcomes;
    for (std::size_t i = 0; i < rival_count; ++i) outcomes[i].messages = row.messages[i];
    add_row(table, "reference", row.at, outcomes);
  }
  return table;
}

std::string_view verdict(const Range& ratios) {
  if (ratios.least >= 1.5 && ratios.most <= 2.5) return "holds";
  if (ratios.least > 2.5) return "exceeded";
  return ratios.most < 1.5 ? "does not hold" : "holds in part";
}

std::string saving_remark(const Figure& figure, unsigned from, std::string_view where) {
  std::string text = fmt::format(
      "\"1.5 to 2.5 times less messages than the Sigma protocol\", {}, {}:", figure.overlay, where);
  for (Who sigma : {Sg0, Sg1, Sg2})
    for (Who other : {T0, T1, Non}) {
      Range ratios = figure.ratios(sigma, other, from);
      text += fmt::format(" {}/{} {} {};", rivals[sigma].name, rivals[other].name, ratios.print(),
                          verdict(ratios));
    }
  text.back() = '.';
  return text;
}

/// Linear would be as much more as there are more nodes, or half of that with a part that is fixed.
std::string growth_remark(const Figure& figure) {
  std::vector<double> growth;
  for (const Who who : everybody)
    growth.push_back(figure.outcomes.back()[who].messages / figure.outcomes.front()[who].messages);
  double nodes = static_cast<double>(figure.at.back()) / figure.at.front();
  double logarithms = std::log(figure.at.back()) / std::log(figure.at.front());
  Range range = range_of(growth);
  return fmt::format(
      "\"All the plots are linear with respect to number of nodes\", {}: {} for {:.0f} times the "
      "nodes, whose logarithms are as 1 to {:.2f}: {}. Routes grow with the logarithm, and the "
      "requests are as many.",
      figure.overlay, range.print(), nodes, logarithms,
      range.least > nodes / 2 ? "holds" : "does not hold");
}

std::string interception_remark(const std::vector<Figure>& figures, unsigned at) {
  const Outcomes& pastry = figures[0].of(at);
  const Outcomes& chord = figures[1].of(at);
  return fmt::format(
      "Requests that are intercepted on their way, of those to replicas: on Pastry {:.1f} % (T0), "
      "{:.1f} % (T1), {:.1f} % (Non); on Chord {:.1f} %, {:.1f} %, {:.1f} %. \"Intercepted and "
      "stopped quicker\" {} on Pastry; on Chord all routes to a key meet before its root.",
      100 * pastry[T0].intercepted, 100 * pastry[T1].intercepted, 100 * pastry[Non].intercepted,
      100 * chord[T0].intercepted, 100 * chord[T1].intercepted, 100 * chord[Non].intercepted,
      pastry[Non].intercepted > 0.25 ? "holds" : "saves little");
}

std::string fencing_remark(const Figure& figure, unsigned at) {
  const Outcomes& outcomes = figure.of(at);
  return fmt::format(
      "Not counted, {} at {}: {:.0f} messages that store fences in Sg1, {:.0f} in Non.",
      figure.overlay, at, outcomes[Sg1].fencing, outcomes[Non].fencing);
}

Range around(double value, double share) { return {value * (1 - share), value * (1 + share)}; }

std::vector<Banded> default_bands(const Outcomes& o) {
  return {
      {"mean route", o[T1].mean_route, {2.94, 3.14}},
      {"granted", o[T1].granted, {355, 370}},
      {"T1", o[T1].messages, around(37'500, .08)},
      {"T0", o[T0].messages, around(34'400, .08)},
      {"Non", o[Non].messages, around(31'000, .08)},
      {"Sg1", o[Sg1].messages, around(40'900, .10)},
      ratio_in(o, Sg1, T0, {1.05, 1.38}),
      ratio_in(o, Sg1, T1, {0.97, 1.25}),
      ratio_in(o, Sg1, Non, {1.20, 1.45}),
      ratio_in(o, Sg2, T0, {1.3, 1.9}),
      ratio_in(o, Sg2, T1, {1.2, 1.7}),
      ratio_in(o, Sg2, Non, {1.5, 2.0}),
      ratio_in(o, Sg0, Non, {1.03, 1.18}),
      ratio_in(o, Sg0, T1, {0.83, 1.0}),
  };
}

}  // namespace

Findings p2p_nodes(const Seeds& seeds) {
  std::vector<Figure> figures =
      run_figure(by_nodes, seeds, [](auto& world, unsigned nodes) { world.nodes = nodes; });
  const Figure& pastry = figures[0];
  std::vector<Banded> bands = default_bands(pastry.of(6500));
  for (Who who : everybody)
    bands.push_back({fmt::format("{} at 10000 / 500", rivals[who].name),
                     pastry.of(10000)[who].messages / pastry.of(500)[who].messages,
                     {1.3, 1.5}});
  Findings findings{
      fmt::format("Figure 3a: 65 resources with 10 replicas each, 20 rounds of 20 requests.\n{} "
                  "Reference: docs/p2p-lab.md.",
                  reading),
      table_of(by_nodes, figures, "nodes"),
      {}};
  for (const Figure& figure : figures) {
    findings.remarks.push_back(saving_remark(figure, 0, "all sizes"));
    findings.remarks.push_back(growth_remark(figure));
  }
  findings.remarks.push_back(interception_remark(figures, 6500));
  findings.remarks.push_back(fencing_remark(pastry, 6500));
  findings.remarks.push_back(band_remark(bands));
  return findings;
}

Findings p2p_load(const Seeds& seeds) {
  std::vector<Figure> figures = run_figure(
      by_requests, seeds, [](auto& world, unsigned requests) { world.requests = requests; });
  const Figure& pastry = figures[0];
  const Outcomes& most = pastry.of(100);
  Findings findings{
      fmt::format("Figure 3b: 6500 nodes, 65 resources with 10 replicas each, 20 rounds.\n{} "
                  "Reference: docs/p2p-lab.md.",
                  reading),
      table_of(by_requests, figures, "requests"),
      {}};
  for (const Figure& figure : figures)
    findings.remarks.push_back(saving_remark(figure, 40, "from 40 requests a round on"));
  findings.remarks.push_back(interception_remark(figures, 100));
  findings.remarks.push_back(fencing_remark(pastry, 100));
  findings.remarks.push_back(band_remark({
      ratio_in(most, Sg1, T0, {1.75, 1.95}),
      ratio_in(most, Sg1, T1, {1.6, 1.8}),
      ratio_in(most, Sg1, Non, {1.5, 1.7}),
  }));
  return findings;
}

}  // namespace conch::lab
