// Figures 3a and 3b of Muhammad, Cheema, Gupta 2005 (section VI.A): messages against the number of
// nodes, and against the requests in each round.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/p2p.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

/// What a first model of the corrected protocols counted on Pastry (the rows of docs/lab.md).
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

/// From this many requests in a round on, most of them have to wait.
constexpr unsigned contended = 40;

/// One figure of the paper on one overlay.
struct Curves {
  std::string_view overlay;
  std::vector<unsigned> at;
  std::vector<Outcomes> outcomes;

  const Outcomes& of(unsigned value) const {
    auto place = std::find(at.begin(), at.end(), value);
    return outcomes[static_cast<std::size_t>(place - at.begin())];
  }
  unsigned nearest(unsigned value) const {
    return *std::min_element(at.begin(), at.end(), [&](unsigned a, unsigned b) {
      auto off = [&](unsigned x) { return x > value ? x - value : value - x; };
      return off(a) < off(b);
    });
  }
  Interval ratios(Who one, Who other, unsigned from = 0) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] >= from) ratios.push_back(ratio(outcomes[i], one, other));
    return range_of(ratios);
  }
};

/// Runs all protocols at each value of the setting, on each overlay.
std::vector<Curves> run_curves(const Setup& setup, std::string_view setting,
                               unsigned sim::OverlayScaleOptions::*member) {
  std::vector<Curves> figures;
  for (std::string_view overlay : overlays) {
    Curves figure{overlay, setup.numbers<unsigned>(setting), {}};
    std::vector<sim::OverlayScaleOptions> worlds;
    for (unsigned place : figure.at) {
      sim::OverlayScaleOptions& world = worlds.emplace_back(world_of(setup));
      world.overlay = overlay;
      world.*member = place;
    }
    figure.outcomes = run_all(worlds, everybody, setup.seeds);
    figures.push_back(std::move(figure));
  }
  return figures;
}

void add_row(Table& table, std::string_view overlay, unsigned at, const Outcomes& outcomes) {
  std::vector<std::string> cells{std::string(overlay), std::to_string(at)};
  for (const ProtocolMeans& outcome : outcomes)
    cells.push_back(fmt::format("{:.0f}", outcome.messages.mean()));
  for (Who sigma : {Sg0, Sg1, Sg2})
    for (Who other : {T0, T1, Non})
      cells.push_back(fmt::format("{:.2f}", ratio(outcomes, sigma, other)));
  table.row(std::move(cells));
}

template <std::size_t N>
Table table_of(const Reference (&rows)[N], const std::vector<Curves>& figures,
               std::string_view what) {
  std::vector<std::string> columns{"overlay", std::string(what)};
  for (const Rival& rival : rivals) columns.emplace_back(rival.name);
  for (std::string_view sigma : {"Sg0", "Sg1", "Sg2"})
    for (std::string_view other : {"T0", "T1", "Non"})
      columns.push_back(fmt::format("{}/{}", sigma, other));
  Table table(columns);
  for (const Curves& figure : figures)
    for (std::size_t i = 0; i < figure.at.size(); ++i)
      add_row(table, figure.overlay, figure.at[i], figure.outcomes[i]);
  for (const Reference& row : rows) {
    Outcomes outcomes;
    for (std::size_t i = 0; i < rival_count; ++i) outcomes[i].messages.add(row.messages[i]);
    add_row(table, "reference", row.at, outcomes);
  }
  return table;
}

/// The saving that the paper claims for figure 3a.
constexpr Interval saving{1.5, 2.5};

/// How this variant reads Sigma's retries, which the paper leaves open.
std::string_view reading_of(Who sigma) {
  switch (sigma) {
    case Sg0: return "whose waiters never ask again";
    case Sg1: return "whose waiters back off by what they are told";
    default: return "whose waiters ask again in every round";
  }
}

std::string print_ratios(const Curves& figure, Who sigma, unsigned from = 0) {
  std::string text;
  for (Who other : {T0, T1, Non})
    text += fmt::format("{}{}/{} {}", text.empty() ? "" : ", ", rivals[sigma].name,
                        rivals[other].name, figure.ratios(sigma, other, from).print());
  return text;
}

PaperClaim saving_claim(const Curves& figure, Who sigma) {
  std::size_t inside = 0;
  for (Who other : {T0, T1, Non})
    for (const Outcomes& outcomes : figure.outcomes)
      inside += saving.contains(ratio(outcomes, sigma, other));
  return {"Muhammad 2005, figure 3a",
          fmt::format("The two protocols need 1.5 to 2.5 times fewer messages than Sigma, {} ({}).",
                      reading_of(sigma), title(figure.overlay)),
          saving.print(1),
          fmt::format("{}. {} of {} are from 1.5 to 2.5.", print_ratios(figure, sigma), inside,
                      3 * figure.at.size()),
          verdict_of(inside, 3 * figure.at.size())};
}

/// Not comparable: the paper gives no number for figure 3b.
PaperClaim contention_claim(const Curves& figure) {
  std::string ours;
  for (Who sigma : {Sg0, Sg1, Sg2})
    ours += fmt::format("{}{}", ours.empty() ? "" : "; ", print_ratios(figure, sigma, contended));
  return {"Muhammad 2005, figure 3b",
          fmt::format("How many messages fewer than Sigma's under contention ({}).",
                      title(figure.overlay)),
          "no numbers: 1.5 to 2.5 is said of figure 3a, at 20 requests a round",
          fmt::format("From {} requests a round on: {}.", contended, ours),
          ClaimVerdict::not_comparable};
}

/// Growth counts as linear if the messages grow by more than half as much as the nodes do; the
/// other half may be a fixed part.
PaperClaim growth_claim(const Curves& figure) {
  std::vector<double> growth;
  for (const Who who : everybody)
    growth.push_back(figure.outcomes.back()[who].messages.mean() /
                     figure.outcomes.front()[who].messages.mean());
  double nodes = static_cast<double>(figure.at.back()) / figure.at.front();
  double logarithms = std::log(figure.at.back()) / std::log(figure.at.front());
  Interval range = range_of(growth);
  return {"Muhammad 2005, figure 3a",
          fmt::format("Messages are linear in the number of nodes ({}).", title(figure.overlay)),
          "linear",
          fmt::format("{} times the messages for {:.0f} times the nodes, whose logarithms are as 1 "
                      "to {:.2f}: routes grow with the logarithm, and the requests are as many.",
                      range.print(), nodes, logarithms),
          judged(range.least - 1 > (nodes - 1) / 2)};
}

/// Only reports the shares. p2p_distribution.cpp judges whether requests of Non are intercepted
/// sooner, because the paper says it of figure 4b.
std::string interception_remark(const std::vector<Curves>& figures, unsigned at,
                                std::string_view what) {
  std::string text;
  for (const Curves& figure : figures) {
    const Outcomes& outcomes = figure.of(at);
    auto percent = [&](Who who) { return 100 * outcomes[who].intercepted; };
    text +=
        fmt::format("{}{} {:.1f} % (T0), {:.1f} % (T1), {:.1f} % (Non)", text.empty() ? "" : "; ",
                    title(figure.overlay), percent(T0), percent(T1), percent(Non));
  }
  return fmt::format(
      "Of the requests to replicas, somebody on the way stops, with {} {}: {}. On "
      "Chord all routes to a key meet before its root.",
      at, what, text);
}

/// Draws the messages of all protocols, and the ratios of Sigma's messages to those of the others.
std::vector<Figure> draw(const Curves& curves, std::string_view of, const Axis& x) {
  Figure messages{fmt::format("Messages in all rounds, {}", title(curves.overlay)),
                  std::string(of),
                  Shape::lines,
                  x,
                  {"messages in all rounds", "messages"}};
  Figure savings{fmt::format("Messages of Sigma to those of the others, {}", title(curves.overlay)),
                 std::string(of),
                 Shape::lines,
                 x,
                 {"times the messages", "times"}};
  bool is_3a = of.ends_with("3a");
  if (!is_3a) messages.y.spacing = Spacing::log;
  for (std::size_t i = 0; i < curves.at.size(); ++i) {
    const Outcomes& outcomes = curves.outcomes[i];
    double place = curves.at[i];
    for (Who who : everybody)
      messages.at(rivals[who].name).points.push_back(at(place, outcomes[who].messages));
    for (Who sigma : {Sg1, Sg2})
      for (Who other : {T0, T1, Non})
        savings.at(fmt::format("{}/{}", rivals[sigma].name, rivals[other].name))
            .points.push_back(
                {place, ratio(outcomes, sigma, other), ratio_deviation(outcomes, sigma, other)});
    if (!is_3a) continue;
    savings.at("claimed, at least", Whose::paper).points.push_back({place, saving.least});
    savings.at("claimed, at most", Whose::paper).points.push_back({place, saving.most});
  }
  return {messages, savings};
}

std::string fencing_remark(const Curves& figure, unsigned at) {
  const Outcomes& outcomes = figure.of(at);
  return fmt::format(
      "Not counted, {} at {}: {:.0f} messages that store fences in Sg1, {:.0f} in Non.",
      figure.overlay, at, outcomes[Sg1].fencing, outcomes[Non].fencing);
}

Interval around(double value, double share) { return {value * (1 - share), value * (1 + share)}; }

std::vector<Banded> default_bands(const Outcomes& o) {
  return {
      {"mean route", o[T1].mean_route, {2.94, 3.14}},
      {"granted", o[T1].granted, {355, 370}},
      {"T1", o[T1].messages.mean(), around(37'500, .08)},
      {"T0", o[T0].messages.mean(), around(34'400, .08)},
      {"Non", o[Non].messages.mean(), around(31'000, .08)},
      {"Sg1", o[Sg1].messages.mean(), around(40'900, .10)},
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

void add_figures(ExperimentResult& findings, const Curves& curves, std::string_view of,
                 const Axis& x) {
  for (Figure& figure : draw(curves, of, x)) findings.figures.push_back(std::move(figure));
}

}  // namespace

ExperimentResult p2p_nodes(const Setup& setup) {
  constexpr std::string_view of = "Muhammad 2005, figure 3a";
  std::vector<Curves> curves = run_curves(setup, "nodes", &sim::OverlayScaleOptions::nodes);
  const Curves& pastry = curves[0];
  unsigned usual = pastry.nearest(6500);
  ExperimentResult findings{
      fmt::format("Figure 3a: {}.\n{} Reference: docs/lab.md.", print_world(setup), reading),
      table_of(by_nodes, curves, "nodes")};
  for (const Curves& each : curves) {
    for (Who sigma : {Sg0, Sg1, Sg2}) findings.claims.push_back(saving_claim(each, sigma));
    if (each.at.size() > 1) findings.claims.push_back(growth_claim(each));
    add_figures(findings, each, of, {"nodes", "nodes", Spacing::log});
  }
  findings.remarks = {fencing_remark(pastry, usual), interception_remark(curves, usual, "nodes")};
  if (!setup.changed.empty()) return findings;
  std::vector<Banded> bands = default_bands(pastry.of(usual));
  for (Who who : everybody)
    bands.push_back(
        {fmt::format("{} at {} / {} nodes", rivals[who].name, pastry.at.back(), pastry.at.front()),
         pastry.outcomes.back()[who].messages.mean() / pastry.outcomes.front()[who].messages.mean(),
         {1.3, 1.5}});
  findings.remarks.push_back(band_remark(bands));
  return findings;
}

ExperimentResult p2p_load(const Setup& setup) {
  constexpr std::string_view of = "Muhammad 2005, figure 3b";
  std::vector<Curves> curves = run_curves(setup, "requests", &sim::OverlayScaleOptions::requests);
  const Curves& pastry = curves[0];
  unsigned most = pastry.at.back();
  ExperimentResult findings{
      fmt::format("Figure 3b: {}.\n{} Reference: docs/lab.md.", print_world(setup), reading),
      table_of(by_requests, curves, "requests")};
  for (const Curves& each : curves) {
    if (most >= contended) findings.claims.push_back(contention_claim(each));
    add_figures(findings, each, of, {"requests in a round", "requests"});
  }
  findings.remarks = {fencing_remark(pastry, most), interception_remark(curves, most, "requests")};
  const Outcomes& at_most = pastry.of(most);
  if (setup.changed.empty())
    findings.remarks.push_back(band_remark({
        ratio_in(at_most, Sg1, T0, {1.75, 1.95}),
        ratio_in(at_most, Sg1, T1, {1.6, 1.8}),
        ratio_in(at_most, Sg1, Non, {1.5, 1.7}),
    }));
  return findings;
}

}  // namespace conch::lab
