// Figures 4a, 4b and 4c of Muhammad, Cheema, Gupta 2005 (section VI.B): how the load is spread over
// the nodes, with 10 and with 40 replicas of each resource.
//
// We read "messages/round" as the most that a node gets in a single round: no other reading gives
// more, and no mean can hide anything in it.
#include <fmt/core.h>

#include <algorithm>

#include "lab/p2p.hpp"

namespace conch::lab {

namespace {

using namespace p2p;

const std::vector<Who> everybody{Sg0, Sg1, Sg2, T0, T1, T2, Non};
constexpr double quantiles[] = {.25, .50, .75, .90, .99};

/// The results for each number of replicas, on one overlay.
struct Loads {
  std::string_view overlay;
  std::vector<unsigned> replicas;
  /// In the order of `replicas`.
  std::vector<Outcomes> outcomes;

  const Outcomes& with_few() const { return outcomes.front(); }
  const Outcomes& with_many() const { return outcomes.back(); }
  double growth(Who who) const {
    return with_many()[who].messages.mean() / with_few()[who].messages.mean();
  }
};

Loads run_loads(const Setup& setup, std::string_view overlay) {
  Loads loads{overlay, setup.numbers<unsigned>("replicas"), {}};
  std::vector<sim::OverlayScaleOptions> worlds;
  for (unsigned replicas : loads.replicas) {
    sim::OverlayScaleOptions& world = worlds.emplace_back(world_of(setup));
    world.overlay = overlay;
    world.replication.replicas = replicas;
  }
  loads.outcomes = run_all(worlds, everybody, setup.seeds);
  return loads;
}

using Counts = std::vector<std::uint32_t>;

double mean(const Counts& loads) {
  double sum = 0;
  for (std::uint32_t load : loads) sum += load;
  return sum / static_cast<double>(loads.size());
}
/// Expects the loads in increasing order.
std::uint32_t quantile(const Counts& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}
std::uint32_t highest(const Counts& loads) { return *std::max_element(loads.begin(), loads.end()); }
std::size_t count_from(const Counts& loads, double least) {
  return static_cast<std::size_t>(
      std::count_if(loads.begin(), loads.end(), [&](auto load) { return load >= least; }));
}
/// The percentage of loads below `limit`.
double share_below(const Counts& loads, double limit) {
  return 100 -
         100 * static_cast<double>(count_from(loads, limit)) / static_cast<double>(loads.size());
}

void add_row(Table& table, const Setup& setup, const Loads& loads, std::size_t which, Who who) {
  const ProtocolMeans& outcome = loads.outcomes[which][who];
  Counts totals = outcome.loads, peaks = outcome.peaks;
  std::sort(totals.begin(), totals.end());
  std::sort(peaks.begin(), peaks.end());
  std::vector<std::string> cells{
      std::string(loads.overlay),
      std::to_string(loads.replicas[which]),
      std::string(rivals[who].name),
      fmt::format("{:.0f}", outcome.messages.mean()),
      fmt::format("{:.1f}", 100 * outcome.intercepted),
      fmt::format("{:.1f}", mean(totals) / setup.number<double>("rounds"))};
  for (const Counts& counts : {peaks, totals}) {
    for (double share : quantiles) cells.push_back(std::to_string(quantile(counts, share)));
    cells.push_back(std::to_string(counts.back()));
  }
  table.row(std::move(cells));
}

/// What the paper reads off its three figures: the load of most nodes, and the highest loads.
struct Majority {
  std::string_view figure;
  Who who;
  /// The paper's words, and the load that they put most nodes below.
  std::string_view says;
  double limit;
  /// The range of the highest loads, if the paper gives it.
  Interval tail = {};
};
constexpr Majority majorities[] = {{"4a", T1, "200 or less", 201},
                                   {"4b", Non, "less than 180", 180, {550, 680}},
                                   {"4c", Sg2, "700 or less", 701, {2500, 3500}}};

std::string figure_of(const Majority& majority) {
  return fmt::format("Muhammad 2005, figure {}", majority.figure);
}

std::vector<PaperClaim> load_claims(const Loads& loads, const Majority& majority) {
  const ProtocolMeans& outcome = loads.with_many()[majority.who];
  std::string where = fmt::format("{}, {}, {} replicas", rivals[majority.who].name,
                                  title(loads.overlay), loads.replicas.back());
  double share = share_below(outcome.peaks, majority.limit);
  std::size_t high = count_from(outcome.peaks, majority.tail.least);
  std::vector<PaperClaim> claims{
      {figure_of(majority),
       fmt::format("The majority of the nodes get {} messages in a round ({}).", majority.says,
                   where),
       std::string(majority.says),
       fmt::format("{:.2f} % of the nodes never get more in a round, and the most is {}. In all "
                   "rounds together {:.1f} % get {}, and the most is {}.",
                   share, highest(outcome.peaks), share_below(outcome.loads, majority.limit),
                   majority.says, highest(outcome.loads)),
       lab::judged(share > 50)}};
  if (majority.tail.most > 0)
    claims.push_back(
        {figure_of(majority),
         fmt::format("Some nodes get {} messages in a round ({}).", majority.tail.print(0), where),
         majority.tail.print(0),
         fmt::format("{} of {} nodes get {:.0f} or more in a round; the most is {}. One in a "
                     "thousand, all that a run of the paper has, would be some.",
                     high, outcome.peaks.size(), majority.tail.least, highest(outcome.peaks)),
         lab::judged(high * 1000 >= outcome.peaks.size())});
  return claims;
}

std::vector<PaperClaim> replica_claims(const Loads& loads) {
  auto listed = [&](const std::vector<Who>& who) {
    std::string text;
    for (Who each : who)
      text += fmt::format("{}{} x{:.2f}", text.empty() ? "" : ", ", rivals[each].name,
                          loads.growth(each));
    return text + ".";
  };
  return {
      {"Muhammad 2005, figures 4a, 4c",
       fmt::format("{} replicas instead of {} are more load for E2E and Sigma ({}).",
                   loads.replicas.back(), loads.replicas.front(), title(loads.overlay)),
       "", listed({T0, T1, T2, Sg0, Sg1, Sg2}),
       lab::judged(loads.growth(T1) > 1.1 && loads.growth(Sg1) > 1.1)},
      {"Muhammad 2005, figure 4b",
       fmt::format("... and have no effect on Non-E2E ({}).", title(loads.overlay)), "no effect",
       listed({Non}) + " Each replica needs a REQUEST, an answer and a RELEASE.",
       lab::judged(loads.growth(Non) < 1.1)},
  };
}

/// The claim holds only if requests of Non are intercepted more often than those of both T0 and T1.
PaperClaim interception_claim(const Loads& loads) {
  std::string ours;
  std::size_t holding = 0;
  for (std::size_t i = 0; i < loads.replicas.size(); ++i) {
    auto percent = [&](Who who) { return 100 * loads.outcomes[i][who].intercepted; };
    holding += percent(Non) > std::max(percent(T0), percent(T1));
    ours += fmt::format("{}{:.1f} % (Non), {:.1f} % (T1) and {:.1f} % (T0) with {} replicas",
                        ours.empty() ? "" : "; ", percent(Non), percent(T1), percent(T0),
                        loads.replicas[i]);
  }
  return {"Muhammad 2005, figure 4b",
          fmt::format("Requests of Non-E2E are intercepted sooner than those of E2E ({}).",
                      title(loads.overlay)),
          "", fmt::format("Of the requests to replicas somebody on the way stops {}.", ours),
          verdict_of(holding, loads.replicas.size())};
}

/// Adds the distribution as points at each whole percent, up to the highest load.
void add_distribution(Series& series, Counts loads) {
  std::sort(loads.begin(), loads.end());
  for (int percent = 0; percent <= 100; ++percent) {
    double load = quantile(loads, percent / 100.0);
    if (!series.points.empty() && series.points.back().x == load) series.points.pop_back();
    series.points.push_back({load, static_cast<double>(percent)});
  }
}

Figure draw(const std::vector<Loads>& all, const Majority& majority) {
  Figure figure{fmt::format("Most messages of a node in a round: {}", rivals[majority.who].name),
                figure_of(majority),
                Shape::steps,
                {"most messages in a round", "messages"},
                {"nodes with at most this load", "%"}};
  for (const Loads& loads : all)
    for (std::size_t i = 0; i < loads.replicas.size(); ++i)
      add_distribution(
          figure.at(fmt::format("{}, {} replicas", title(loads.overlay), loads.replicas[i])),
          loads.outcomes[i][majority.who].peaks);
  auto mark = [&](const std::string& name, double load) {
    figure.at(name, Whose::paper).points = {{load, 0}, {load, 100}};
  };
  mark(fmt::format("most nodes {}", majority.says), majority.limit);
  if (majority.tail.most > 0)
    mark(fmt::format("some from {:.0f} on", majority.tail.least), majority.tail.least);
  return figure;
}

Figure draw_growth(const std::vector<Loads>& all) {
  const std::vector<unsigned>& replicas = all[0].replicas;
  Figure figure{
      fmt::format("Messages with {} replicas to those with {}", replicas.back(), replicas.front()),
      "Muhammad 2005, figure 4",
      Shape::bars,
      {"protocol"},
      {"messages with more replicas / with fewer"}};
  for (Who who : everybody) {
    figure.x.names.emplace_back(rivals[who].name);
    for (const Loads& loads : all)
      figure.at(title(loads.overlay))
          .points.push_back({static_cast<double>(who), loads.growth(who)});
  }
  figure.at("no effect on Non-E2E", Whose::paper).points = {{static_cast<double>(Non), 1}};
  return figure;
}

std::vector<Banded> bands(const Loads& loads) {
  const Outcomes& o = loads.with_few();
  std::vector<Banded> bands{
      ratio_in(o, Sg1, T0, {1.7, 2.0}),
      ratio_in(o, Sg1, T1, {1.6, 1.9}),
      ratio_in(o, Sg1, Non, {1.55, 1.75}),
  };
  for (Who who : everybody)
    bands.push_back(
        {fmt::format("{} at 40 / 10 replicas", rivals[who].name), loads.growth(who), {3.4, 4.2}});
  return bands;
}

Table table_of(const Setup& setup, const std::vector<Loads>& all) {
  std::vector<std::string> columns{"overlay",  "replicas",      "protocol",
                                   "messages", "intercepted %", "mean a round"};
  for (int i = 0; i < 2; ++i)
    for (std::string_view name : {"25 %", "50 %", "75 %", "90 %", "99 %", "most"})
      columns.emplace_back(name);
  Table table(columns);
  table.group("", 6);
  table.group("most of a node in a round, by share of nodes", 6);
  table.group("in all rounds", 6);
  table.align_left(2);
  for (const Loads& loads : all)
    for (std::size_t i = 0; i < loads.replicas.size(); ++i)
      for (Who who : everybody) add_row(table, setup, loads, i, who);
  return table;
}

}  // namespace

ExperimentResult p2p_distribution(const Setup& setup) {
  std::vector<Loads> all;
  for (std::string_view overlay : overlays) all.push_back(run_loads(setup, overlay));
  ExperimentResult findings{
      fmt::format("Figure 4: {}. The load\nof a node is what it gets or passes on, "
                  "fences included.\n{}",
                  print_world(setup), reading),
      table_of(setup, all)};
  for (const Loads& loads : all) {
    for (const Majority& majority : majorities)
      for (PaperClaim& claim : load_claims(loads, majority))
        findings.claims.push_back(std::move(claim));
    if (loads.replicas.size() > 1)
      for (PaperClaim& claim : replica_claims(loads)) findings.claims.push_back(std::move(claim));
    findings.claims.push_back(interception_claim(loads));
  }
  for (const Majority& majority : majorities) findings.figures.push_back(draw(all, majority));
  findings.figures.push_back(draw_growth(all));
  if (setup.changed.empty()) findings.remarks.push_back(band_remark(bands(all[0])));
  return findings;
}

}  // namespace conch::lab
