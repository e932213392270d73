// Table 1 and figures 9 to 11 of [Bertier 2004, section 4]: the obtaining times and messages of six
// algorithms, for nine hosts in three clusters.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "lab/experiment.hpp"
#include "lab/parallel.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

struct Band {
  double least = 0;
  double most = 0;
  bool contains(double value) const { return least <= value && value <= most; }
};

/// A line of table 1, and the bands in which a faithful implementation must be. The bands are for
/// means at 600 ms, divided by those of NaimiTrehel.
struct TableRow {
  std::string_view title;
  std::string_view algorithm;
  unsigned eps;
  double paper_s, paper_std_s;
  int paper_local, paper_global;
  Band time, messages;
};
constexpr std::string_view flat = "naimi-trehel", single = "preempt",
                           aggregation = "preempt-aggregation";
constexpr TableRow lines[] = {
    {"NaimiTrehel", flat, 0, 7.157, 1.351, 148, 393, {1, 1}, {1, 1}},
    {"Centralized", "central", 0, 10.161, 1.981, 119, 353, {1.35, 1.62}, {0, 9}},
    {"Broadcast", "ricart-agrawala", 0, 8.007, 1.010, 720, 2159, {1, 1.33}, {0, 9}},
    {"Proxy", "proxy", 0, 5.858, 1.016, 237, 299, {.78, 1.02}, {.72, 1.02}},
    {"PreemptAgg", aggregation, 0, 6.037, 1.186, 261, 185, {0, .80}, {0, .20}},
    {"PreemptAgg", aggregation, 1, 4.704, 1.757, 359, 140, {.60, .72}, {0, .17}},
    {"PreemptAgg", aggregation, 2, 4.287, 2.269, 395, 120, {.57, .68}, {0, .15}},
    {"PreemptAgg", aggregation, 3, 3.992, 2.573, 395, 120, {.54, .65}, {0, .13}},
    {"Preempt", "preempt", 0, 5.858, .999, 402, 196, {.70, .84}, {.32, .50}},
    {"Preempt", "preempt", 1, 4.897, 2.053, 466, 124, {.60, .72}, {.24, .33}},
    {"Preempt", "preempt", 2, 4.640, 2.517, 477, 109, {.57, .68}, {.19, .28}},
    {"Preempt", "preempt", 3, 4.540, 2.884, 482, 79, {.54, .66}, {.15, .21}},
};

/// alpha is the time inside, beta the mean time between release and request.
struct Point {
  std::string_view of;
  Duration delay, alpha, beta;
};
constexpr Point table_1{"table 1, fig. 11", 600ms, 500ms, 500ms};
constexpr Point points[] = {
    table_1,
    {"the same, 300 ms", 300ms, 500ms, 500ms},
    {"figs. 9, 10", 600ms, 100ms, 500ms},
    {"figs. 9, 10", 600ms, 500ms, 100ms},
    {"figs. 9, 10", 600ms, 500ms, 1000ms},
    {"figs. 9, 10", 600ms, 500ms, 5000ms},
};

constexpr Node cluster_size = 3;

struct Means {
  Sample time_s, std_s, local, global;
  std::uint64_t longest_visit = 0;
  std::uint64_t most_preemptions = 0;
};

Means measure(const TableRow& line, const Point& point, const Seeds& seeds) {
  Means means;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    Options options;
    options.algorithm = line.algorithm;
    options.tuning.eps = line.eps;
    options.seed = seed;
    options.clusters = {cluster_size, cluster_size, cluster_size};
    options.hold = Distribution::constant(point.alpha);
    options.think = Distribution::exponential(point.beta);
    options.local_latency = Distribution::constant(300us);
    options.remote_latency = Distribution::constant(point.delay);
    Result result = simulate(options);
    CONCH_EXPECT(!result.violation, "every property holds");
    means.time_s.add(result.report.wait_s.mean);
    means.std_s.add(result.report.wait_s.std);
    means.local.add(static_cast<double>(result.report.messages.local));
    means.global.add(static_cast<double>(result.report.messages.global));
    means.longest_visit = std::max(means.longest_visit, result.visits->longest);
    means.most_preemptions = std::max(means.most_preemptions, result.visits->most_preemptions);
  }
  return means;
}

/// The server costs every other host three messages per entry, global ones for the six hosts
/// outside its cluster. A broadcast reaches eight hosts, two of them in its own cluster.
bool counts_are_exact(const TableRow& line, const Means& means) {
  if (line.algorithm == "central") return means.local.mean() == 120 && means.global.mean() == 360;
  return means.local.mean() == 720 && means.global.mean() == 2160;
}

bool in_band(const TableRow& line, const Means& means, const Means& base) {
  if (line.algorithm == flat)
    return Band{6.4, 7.7}.contains(means.time_s.mean()) &&
           Band{400, 465}.contains(means.global.mean());
  if (!line.time.contains(means.time_s.mean() / base.time_s.mean())) return false;
  bool classic = line.algorithm == "central" || line.algorithm == "ricart-agrawala";
  return classic ? counts_are_exact(line, means)
                 : line.messages.contains(means.global.mean() / base.global.mean());
}

double milliseconds(Duration duration) { return 1e3 * seconds_of(duration); }

void add_row(Table& table, const TableRow& line, const Point& point, const Means& means,
             const Means& base) {
  bool printed = point.alpha == table_1.alpha && point.beta == table_1.beta;
  bool judged = printed && point.delay == table_1.delay;
  bool preempts = line.algorithm == aggregation || line.algorithm == single;
  table.row({std::string(point.of), fmt::format("{:.0f}", milliseconds(point.alpha)),
             fmt::format("{:.0f}", milliseconds(point.beta)), std::string(line.title),
             preempts ? std::to_string(line.eps) : "", fmt::format("{:.3f}", means.time_s.mean()),
             fmt::format("{:.3f}", means.std_s.mean()),
             fmt::format("{:.2f}", means.time_s.mean() / base.time_s.mean()),
             printed ? fmt::format("{:.3f}", line.paper_s) : "",
             printed ? fmt::format("{:.3f}", line.paper_std_s) : "",
             fmt::format("{:.0f}", means.local.mean()), fmt::format("{:.0f}", means.global.mean()),
             fmt::format("{:.2f}", means.global.mean() / base.global.mean()),
             printed ? std::to_string(line.paper_local) : "",
             printed ? std::to_string(line.paper_global) : "",
             judged ? (in_band(line, means, base) ? "yes" : "no") : ""});
}

using Measured = std::map<std::pair<std::string_view, unsigned>, Means>;

/// One entry for each of `points`, in their order.
std::vector<Measured> measure_all(const Seeds& seeds) {
  constexpr std::size_t each = std::size(lines);
  std::vector<Means> means(std::size(points) * each);
  in_parallel(means.size(), [&](std::size_t index) {
    means[index] = measure(lines[index % each], points[index / each], seeds);
  });
  std::vector<Measured> all(std::size(points));
  for (std::size_t i = 0; i < means.size(); ++i) {
    const TableRow& line = lines[i % each];
    all[i / each][{line.algorithm, line.eps}] = means[i];
  }
  return all;
}

std::string band_remark(const Measured& measured) {
  std::string outside;
  for (const TableRow& line : lines)
    if (!in_band(line, measured.at({line.algorithm, line.eps}), measured.at({flat, 0})))
      outside += fmt::format("{}{} {}", outside.empty() ? "" : ", ", line.title, line.eps);
  return outside.empty() ? "Every line of table 1 is within its band."
                         : "Not within their bands: " + outside + ".";
}

double time_s(const Measured& measured, std::string_view algorithm, unsigned eps = 0) {
  return measured.at({algorithm, eps}).time_s.mean();
}

const TableRow& line_of(std::string_view algorithm, unsigned eps = 0) {
  return *std::find_if(std::begin(lines), std::end(lines), [&](const TableRow& line) {
    return line.algorithm == algorithm && line.eps == eps;
  });
}

constexpr std::string_view text = "Bertier 2004, section 4.2";

PaperClaim times_claim(const Measured& at_600, const Measured& at_300) {
  double off = 0;
  for (std::string_view classic :
       {flat, std::string_view("central"), std::string_view("ricart-agrawala")})
    off = std::max(off, std::abs(time_s(at_600, classic) / line_of(classic).paper_s - 1));
  return {"Bertier 2004, table 1",
          "The classical algorithms' obtaining times, with 300 ms between clusters.",
          fmt::format("NaimiTrehel {:.2f} s", line_of(flat).paper_s),
          fmt::format("{:.2f} s at 300 ms, and {:.2f} s at 600 ms, where the three are at most "
                      "{:.1f}% off: the printed times are those of 600 ms.",
                      time_s(at_300, flat), time_s(at_600, flat), 100 * off),
          judged(std::abs(time_s(at_300, flat) / line_of(flat).paper_s - 1) < 0.1)};
}

/// Lists the value for each eps from 0 to 3, as "1.00, 2.00".
template <class Value>
std::string by_eps(int digits, Value&& value) {
  std::string text;
  for (unsigned eps = 0; eps <= 3; ++eps)
    text += fmt::format("{}{:.{}f}", eps == 0 ? "" : ", ", value(eps), digits);
  return text;
}

PaperClaim threshold_claim(const Measured& measured) {
  bool monotone = true;
  for (std::string_view name : {aggregation, single})
    for (unsigned eps = 1; eps <= 3; ++eps)
      monotone &= time_s(measured, name, eps) < time_s(measured, name, eps - 1);
  return {"Bertier 2004, figure 10", "The more may overtake, the shorter the obtaining time.",
          "PreemptAggregation " +
              by_eps(2, [](unsigned eps) { return line_of(aggregation, eps).paper_s; }) +
              " s at eps 0 to 3",
          by_eps(2, [&](unsigned eps) { return time_s(measured, aggregation, eps); }) +
              " s, and Preempt " +
              by_eps(2, [&](unsigned eps) { return time_s(measured, single, eps); }) +
              (monotone ? " s: strictly." : " s."),
          judged(monotone)};
}

PaperClaim locality_claim(const Measured& measured) {
  auto global = [&](std::string_view name, unsigned eps) {
    return measured.at({name, eps}).global.mean();
  };
  bool fewer = true;
  for (std::string_view name : {aggregation, single})
    for (unsigned eps = 1; eps <= 3; ++eps) fewer &= global(name, eps) < global(name, eps - 1);
  return {
      "Bertier 2004, figure 11", "The more may overtake, the fewer messages go between clusters.",
      "Preempt " +
          by_eps(0, [](unsigned eps) { return double(line_of(single, eps).paper_global); }) +
          " at eps 0 to 3",
      by_eps(0, [&](unsigned eps) { return global(single, eps); }) + ", and PreemptAggregation " +
          by_eps(0, [&](unsigned eps) { return global(aggregation, eps); }) + ".",
      judged(fewer)};
}

/// Differences of up to 1 % count as "as fast".
std::string_view compared(double one, double other) {
  if (one < 0.99 * other) return "faster";
  return one > 1.01 * other ? "slower" : "as fast";
}

PaperClaim aggregation_claim(const Measured& measured) {
  std::string ours;
  bool fastest = true;
  for (unsigned eps = 0; eps <= 3; ++eps) {
    auto word = compared(time_s(measured, aggregation, eps), time_s(measured, single, eps));
    fastest &= word == "faster";
    ours += fmt::format("{}{} (eps {})", eps == 0 ? "" : ", ", word, eps);
  }
  return {
      std::string(text), "PreemptAggregation is the most efficient of all.",
      "slower than Preempt at eps 0, faster from 1 on",
      "To Preempt it is " + ours + ". What it saves are messages between clusters, at every eps.",
      fastest ? ClaimVerdict::holds : ClaimVerdict::in_part};
}

PaperClaim hierarchy_claim(const Measured& measured) {
  double slowest = 0, paper_slowest = 0;
  for (const TableRow& line : lines) {
    if (line.algorithm != "proxy" && line.algorithm != aggregation && line.algorithm != single)
      continue;
    slowest = std::max(slowest, time_s(measured, line.algorithm, line.eps));
    paper_slowest = std::max(paper_slowest, line.paper_s);
  }
  auto print = [](double clustered_s, double flat_s) {
    return fmt::format("{:.2f} s at most, and {:.2f} s of NaimiTrehel", clustered_s, flat_s);
  };
  return {"Bertier 2004, figure 9",
          "Every algorithm that knows clusters is faster than the classical ones.",
          print(paper_slowest, line_of(flat).paper_s), print(slowest, time_s(measured, flat)) + ".",
          judged(slowest < time_s(measured, flat))};
}

std::string label(const TableRow& line) {
  bool preempts = line.algorithm == aggregation || line.algorithm == single;
  return preempts ? fmt::format("{} {}", line.title, line.eps) : std::string(line.title);
}

/// Pairs of points that differ in alpha alone or in beta alone; the second has the smaller alpha /
/// beta.
constexpr std::pair<std::size_t, std::size_t> falling[] = {{3, 0}, {0, 4}, {4, 5}, {0, 2}};

PaperClaim load_claim(const std::vector<Measured>& all) {
  std::string against;
  for (const TableRow& line : lines)
    for (auto [more, less] : falling) {
      double more_s = time_s(all[more], line.algorithm, line.eps);
      double less_s = time_s(all[less], line.algorithm, line.eps);
      if (more_s <= less_s)
        against +=
            fmt::format("{}{} with beta {:.0f} to {:.0f} ms ({:.2f} and {:.2f} s)",
                        against.empty() ? "" : ", ", label(line), milliseconds(points[more].beta),
                        milliseconds(points[less].beta), more_s, less_s);
    }
  return {"Bertier 2004, figure 9", "The smaller alpha / beta, the shorter the obtaining time.", "",
          against.empty() ? "With every algorithm, from alpha / beta = 5 down to 0.1."
                          : "With every algorithm, but for " + against + ".",
          against.empty() ? ClaimVerdict::holds : ClaimVerdict::in_part};
}

/// Takes the maximum over all points.
PaperClaim preemption_claim(const std::vector<Measured>& all) {
  bool within = true;
  std::string most, longest;
  for (unsigned eps = 0; eps <= 3; ++eps) {
    std::uint64_t preemptions = 0, visit = 0;
    for (const Measured& measured : all) {
      const Means& means = measured.at({aggregation, eps});
      preemptions = std::max(preemptions, means.most_preemptions);
      visit = std::max(visit, means.longest_visit);
    }
    within &= preemptions <= cluster_size + eps;
    most += fmt::format("{}{}", eps == 0 ? "" : ", ", preemptions);
    longest += fmt::format("{}{}", eps == 0 ? "" : ", ", visit);
  }
  return {
      std::string(text),
      "While the token is in a cluster of n hosts, PreemptAggregation's preemptions are limited "
      "by n + eps, not by eps.",
      "3, 4, 5, 6 at eps 0 to 3",
      fmt::format("{} at most: entries in one visit whose requests are younger than one from "
                  "outside that has long been waiting. The whole visit, which the paper does "
                  "not bound, has up to {} entries; conch promises n + eps + 1.",
                  most, longest),
      judged(within)};
}

// The figures.
/// An empty figure with a bar for each line: table 1 and figure 11.
Figure by_line(std::string_view title, std::string_view of, Axis y) {
  Figure figure{std::string(title), std::string(of), Shape::bars, {"algorithm, eps"}, std::move(y)};
  for (const TableRow& line : lines) figure.x.names.push_back(label(line));
  return figure;
}

std::vector<Figure> draw_table(const Measured& at_600, const Measured& at_300) {
  Figure times = by_line("Obtaining time, alpha = beta = 500 ms", "Bertier 2004, table 1",
                         {"obtaining time", "s"});
  Figure spread = by_line("Standard deviation of the obtaining time", "Bertier 2004, table 1",
                          {"standard deviation", "s"});
  Figure messages = by_line("Messages within clusters and between them", "Bertier 2004, figure 11",
                            {"messages", "messages", Spacing::log});
  for (std::size_t i = 0; i < std::size(lines); ++i) {
    const TableRow& line = lines[i];
    auto x = static_cast<double>(i);
    const Means& ours = at_600.at({line.algorithm, line.eps});
    const Means& slow = at_300.at({line.algorithm, line.eps});
    times.at("600 ms between clusters").points.push_back(at(x, ours.time_s));
    times.at("300 ms").points.push_back(at(x, slow.time_s));
    times.at("paper", Whose::paper).points.push_back({x, line.paper_s});
    spread.at("600 ms between clusters").points.push_back(at(x, ours.std_s));
    spread.at("300 ms").points.push_back(at(x, slow.std_s));
    spread.at("paper", Whose::paper).points.push_back({x, line.paper_std_s});
    messages.at("local").points.push_back(at(x, ours.local));
    messages.at("global").points.push_back(at(x, ours.global));
    messages.at("local, paper", Whose::paper).points.push_back({x, double(line.paper_local)});
    messages.at("global, paper", Whose::paper).points.push_back({x, double(line.paper_global)});
  }
  return {times, spread, messages};
}

/// Figures 9 and 10: the obtaining times of these algorithms against alpha or beta.
Figure draw_times(const std::vector<Measured>& all, std::string_view title, std::string_view of,
                  Duration Point::*which,
                  const std::vector<std::pair<std::string_view, unsigned>>& who,
                  const std::vector<std::size_t>& order) {
  std::string_view greek = which == &Point::alpha ? "alpha, inside" : "beta, mean time outside";
  Figure figure{std::string(title),
                std::string(of),
                Shape::lines,
                {std::string(greek), "ms", Spacing::log},
                {"obtaining time", "s"}};
  for (const auto& [algorithm, eps] : who) {
    const TableRow& line = line_of(algorithm, eps);
    for (std::size_t i : order)
      figure.at(label(line))
          .points.push_back(at(milliseconds(points[i].*which), all[i].at({algorithm, eps}).time_s));
  }
  return figure;
}

/// Figure 10 against eps, and the number of preemptions against eps.
std::vector<Figure> draw_eps(const Measured& measured) {
  Figure times{"Obtaining time by eps, alpha = beta = 500 ms",
               "Bertier 2004, figure 10",
               Shape::lines,
               {"eps"},
               {"obtaining time", "s"}};
  Figure overtaking{"Most preemptions of others who wait, in one visit of the token to 3 hosts",
                    "Bertier 2004, section 4.2",
                    Shape::lines,
                    {"eps"},
                    {"preemptions in one visit", "entries"}};
  for (unsigned eps = 0; eps <= 3; ++eps) {
    for (std::string_view name : {aggregation, single}) {
      const TableRow& line = line_of(name, eps);
      const Means& means = measured.at({name, eps});
      times.at(line.title).points.push_back(at(eps, means.time_s));
      times.at(std::string(line.title) + ", paper", Whose::paper)
          .points.push_back({double(eps), line.paper_s});
      overtaking.at(line.title).points.push_back({double(eps), double(means.most_preemptions)});
    }
    overtaking.at("n + eps", Whose::paper)
        .points.push_back({double(eps), double(cluster_size + eps)});
  }
  return {times, overtaking};
}

std::vector<Figure> draw(const std::vector<Measured>& all) {
  using Who = std::vector<std::pair<std::string_view, unsigned>>;
  const Who classics{
      {flat, 0}, {"central", 0}, {"ricart-agrawala", 0}, {aggregation, 0}, {aggregation, 3}};
  const Who clustered{{"proxy", 0}, {aggregation, 0}, {aggregation, 3}, {single, 0}, {single, 3}};
  const std::vector<std::size_t> by_beta{3, 0, 4, 5}, by_alpha{2, 0};
  constexpr std::string_view with_classics = "PreemptAggregation and the classical algorithms";
  constexpr std::string_view among = "PreemptAggregation, Preempt and Proxy";
  std::vector<Figure> figures = draw_table(all[0], all[1]);
  auto add = [&](std::string_view title, std::string_view of, Duration Point::*which,
                 const Who& who, const std::vector<std::size_t>& order) {
    std::string fixed = which == &Point::alpha ? ", beta = 500 ms" : ", alpha = 500 ms";
    figures.push_back(draw_times(all, std::string(title) + fixed, of, which, who, order));
  };
  add(with_classics, "Bertier 2004, figure 9", &Point::beta, classics, by_beta);
  add(with_classics, "Bertier 2004, figure 9", &Point::alpha, classics, by_alpha);
  add(among, "Bertier 2004, figure 10", &Point::beta, clustered, by_beta);
  add(among, "Bertier 2004, figure 10", &Point::alpha, clustered, by_alpha);
  for (Figure& figure : draw_eps(all[0])) figures.push_back(std::move(figure));
  return figures;
}

}  // namespace

ExperimentResult hierarchical(const Setup& setup) {
  ExperimentResult findings{
      "Nine hosts in three clusters of three, 20 requests a host; 0.3 ms within a cluster, 600 ms\n"
      "between them (or 300); alpha ms inside, exponential beta between release and request. The\n"
      "manager of Centralized is one of the hosts.",
      Table({"of", "alpha", "beta", "algorithm", "eps", "time s", "time std", "time / NT",
             "paper s", "paper std", "local", "global", "global / NT", "paper l", "paper g",
             "in band"})};
  findings.table.align_left(3);
  std::vector<Measured> all = measure_all(setup.seeds);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const TableRow& line : lines)
      add_row(findings.table, line, points[i], all[i].at({line.algorithm, line.eps}),
              all[i].at({flat, 0}));
  findings.claims = {times_claim(all[0], all[1]), threshold_claim(all[0]), locality_claim(all[0]),
                     aggregation_claim(all[0]),   hierarchy_claim(all[0]), load_claim(all),
                     preemption_claim(all)};
  findings.remarks = {
      band_remark(all[0]),
      "The paper's messages miss about 55 tokens: its messages less its path are 122, where 177 "
      "are needed for 180 entries.",
  };
  findings.figures = draw(all);
  return findings;
}

}  // namespace conch::lab
