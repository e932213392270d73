// Compares clusters that peers find themselves, by measuring round trips, with clusters that were
// configured by hand: what they gain and what they cost.
#include <fmt/core.h>

#include <map>
#include <set>

#include "core/grouping.hpp"
#include "lab/parallel.hpp"
#include "lab/planet.hpp"

namespace conch::lab {

namespace {

using namespace sim;

constexpr Load loads[] = {medium, heavy};
constexpr Contestant contestants[] = {{"proxy"}, {"preempt", 20}, {"preempt-aggregation", 20}};

/// How many other peers each peer measures in an interval.
constexpr std::size_t measured_at_once = 8;
constexpr double intervals_per_min = 6;
/// The largest relative error of a measurement; measurements are only ever too long.
constexpr double noise = 0.3;
/// Sweeps after the first one.
constexpr int more_sweeps = 20;
constexpr std::uint64_t measurement_stream = 5;

/// Peers in a circle that measure their round trips, each to the next few peers.
class Survey {
 public:
  Survey(std::size_t cities, double stretch, std::uint64_t seed)
      : latencies_(latencies(cities, stretch)), random_(seed, measurement_stream) {
    for (std::uint64_t i = 0; i < cities * peers_per_city; ++i) peers_.push_back(NodeId{i});
  }
  /// How many intervals a sweep takes: until each pair has been measured by one of the two.
  std::size_t intervals() const {
    return (peers_.size() / 2 + measured_at_once - 1) / measured_at_once;
  }
  /// Measures all pairs, and returns the resulting labels.
  const Labels& sweep() {
    for (std::size_t distance = 1; distance <= peers_.size() / 2; ++distance)
      for (std::size_t from = 0; from < peers_.size(); ++from)
        measure(from, (from + distance) % peers_.size());
    return labels_ = group_by_round_trips(peers_, trips_, labels_);
  }

 private:
  void measure(std::size_t a, std::size_t b) {
    const auto& latency = latencies_[a / peers_per_city][b / peers_per_city];
    double true_ns = seconds_of(latency.draw(random_) + latency.draw(random_)) * 1e9;
    double ns = true_ns * (1 + noise * random_.uniform());
    trips_.measured(peers_[a], peers_[b], Duration(static_cast<std::int64_t>(ns)));
  }

  std::vector<std::vector<Distribution>> latencies_;
  Random random_;
  std::vector<NodeId> peers_;
  RoundTrips trips_;
  Labels labels_;
};

struct Found {
  Labels labels;
  std::size_t clusters = 0;
  std::size_t levels = 0;
  /// Pairs of peers that share a cluster in one layout only.
  std::size_t wrong_pairs = 0;
  /// How often the labels change in the later sweeps.
  int changes = 0;
  double minutes = 0;
};

Found survey(std::size_t cities, double stretch, std::uint64_t seed) {
  Survey survey(cities, stretch, seed);
  Found found;
  found.labels = survey.sweep();
  found.minutes = static_cast<double>(survey.intervals()) / intervals_per_min;
  Clusters clusters(found.labels);
  found.levels = clusters.levels();
  std::set<std::string> names;
  for (const auto& [peer, label] : found.labels) names.insert(label);
  found.clusters = names.size();
  std::size_t peers = cities * peers_per_city;
  for (std::uint64_t a = 0; a < peers; ++a)
    for (std::uint64_t b = 0; b < a; ++b)
      found.wrong_pairs +=
          clusters.together(NodeId{a}, NodeId{b}) != (a / peers_per_city == b / peers_per_city);
  Labels last = found.labels;
  for (int i = 0; i < more_sweeps; ++i) {
    const Labels& now = survey.sweep();
    found.changes += now != last;
    last = now;
  }
  return found;
}

enum class Layout : std::uint8_t { none, by_hand, found };
constexpr Layout layouts[] = {Layout::none, Layout::by_hand, Layout::found};
std::string_view word(Layout layout) {
  switch (layout) {
    case Layout::none: return "none";
    case Layout::by_hand: return "by hand";
    case Layout::found: return "found";
  }
  return "?";
}

struct Trial {
  std::size_t cities;
  Load load;
  Contestant contestant;
  Layout layout;
  PlanetResult outcome = {};
};

std::vector<Trial> run_trials(const Setup& setup, const std::map<std::size_t, Found>& found) {
  std::vector<Trial> trials;
  for (const auto& [size, labels] : found)
    for (const Load& load : loads)
      for (const Contestant& contestant : contestants)
        for (Layout layout : layouts) trials.push_back({size, load, contestant, layout});
  in_parallel(trials.size(), [&](std::size_t index) {
    Trial& trial = trials[trials.size() - 1 - index];  // the largest first
    Options options =
        on_planet(trial.contestant, trial.cities, trial.load, setup.number<double>("stretch"));
    if (trial.layout == Layout::none) options.told = Clusters();
    if (trial.layout == Layout::found) options.told = Clusters(found.at(trial.cities).labels);
    trial.outcome = measure(options, setup.seeds);
  });
  return trials;
}

void add_row(const Trial& trial, Table& table) {
  const PlanetResult& outcome = trial.outcome;
  table.row({fmt::format("{}x{}", trial.cities, peers_per_city), std::string(trial.load.name),
             std::string(trial.contestant.algorithm),
             trial.contestant.preempts() ? std::to_string(trial.contestant.eps) : "",
             std::string(word(trial.layout)), fmt::format("{:.2f}", outcome.mean_s.mean()),
             fmt::format("{:.2f}", outcome.p95_s.mean()), fmt::format("{:.1f}", outcome.longest_s),
             fmt::format("{:.2f}", outcome.global_per_entry.mean()),
             fmt::format("{:.2f}", outcome.local_per_entry.mean())});
}

std::string found_remark(std::size_t cities, const Found& found) {
  std::string text = fmt::format(
      "{} cities: {} clusters of {} level{} are found when everybody has been measured, after "
      "{:.1f} minutes; ",
      cities, found.clusters, found.levels, found.levels == 1 ? "" : "s", found.minutes);
  text += found.wrong_pairs == 0
              ? "the same peers are together as in the layout by hand"
              : fmt::format("{} pairs are together in one layout only", found.wrong_pairs);
  return text + fmt::format(". While all are measured {} times more, they change {} times.",
                            more_sweeps, found.changes);
}

/// Compares the waits with found labels to those by hand, and those by hand to none.
std::string gain_remark(const std::vector<Trial>& trials) {
  double most = 0, least = 1e300, gain = 0;
  for (std::size_t i = 0; i < trials.size(); i += std::size(layouts)) {
    double none = trials[i].outcome.mean_s.mean(), by_hand = trials[i + 1].outcome.mean_s.mean();
    double ratio = trials[i + 2].outcome.mean_s.mean() / by_hand;
    most = std::max(most, ratio);
    least = std::min(least, ratio);
    gain = std::max(gain, none / by_hand);
  }
  return fmt::format(
      "With labels that were found the mean wait is {:.2f} to {:.2f} times that with labels by "
      "hand. Without labels it is up to {:.1f} times as long.",
      least, most, gain);
}

std::string cost_remark(const std::vector<Trial>& trials) {
  double per_min = 2 * measured_at_once * intervals_per_min;
  const Trial& last = trials.back();
  double per_entry = last.outcome.global_per_entry.mean() + last.outcome.local_per_entry.mean();
  return fmt::format(
      "Measuring costs {:.0f} messages a peer and minute: {} round trips every {:.0f} s. As many "
      "as {:.0f} entries do ({}, {}x{}, {}). A group that is in no hurry measures more rarely.",
      per_min, measured_at_once, 60 / intervals_per_min, per_min / per_entry,
      last.contestant.name(), last.cities, peers_per_city, last.load.name);
}

/// Draws the mean wait at one load, for each contestant and size.
Figure draw(const std::vector<Trial>& trials, const Load& load) {
  Figure figure{fmt::format("Mean wait by labels, {} load", load.name),
                "past Bertier 2004",
                Shape::bars,
                {"algorithm, cities"},
                {"mean wait", "s", Spacing::log}};
  for (const Trial& trial : trials) {
    if (trial.load.name != load.name) continue;
    std::string name = fmt::format("{}, {}", trial.contestant.algorithm, trial.cities);
    auto& names = figure.x.names;
    if (names.empty() || names.back() != name) names.push_back(name);
    figure.at(fmt::format("labels: {}", word(trial.layout)))
        .points.push_back(at(static_cast<double>(names.size() - 1), trial.outcome.mean_s));
  }
  return figure;
}

}  // namespace

ExperimentResult auto_clusters(const Setup& setup) {
  std::map<std::size_t, Found> found;
  for (std::size_t size : setup.numbers("cities"))
    found[size] = survey(size, setup.number<double>("stretch"), setup.seeds.first);
  ExperimentResult findings{
      fmt::format("The planet of `conch lab run planet`, where the algorithms are told of no "
                  "clusters, of the cities\n(by hand), or of what peers find that measure round "
                  "trips: each the next {} of the others every\n{:.0f} s, each measurement up to "
                  "{:.0f} % too long.",
                  measured_at_once, 60 / intervals_per_min, 100 * noise),
      Table({"peers", "load", "algorithm", "eps", "labels", "mean", "p95", "longest", "global",
             "local"})};
  for (std::size_t column : {1, 2, 4}) findings.table.align_left(column);
  std::vector<Trial> trials = run_trials(setup, found);
  for (const Trial& trial : trials) add_row(trial, findings.table);
  for (const auto& [size, what] : found) findings.remarks.push_back(found_remark(size, what));
  findings.remarks.push_back(gain_remark(trials));
  findings.remarks.push_back(cost_remark(trials));
  for (const Load& load : loads) findings.figures.push_back(draw(trials, load));
  return findings;
}

}  // namespace conch::lab
