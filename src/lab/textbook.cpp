// The comparison of the lecture notes: bandwidth, client delay and synchronization delay of every
// algorithm on one workload. The textbooks' numbers stand beside the measured ones.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "catalog/catalog.hpp"
#include "lab/experiment.hpp"
#include "lab/parallel.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

namespace {

using namespace sim;
using namespace std::chrono_literals;

/// There is a projective plane of 13 points, so four votes suffice for Maekawa's algorithm.
constexpr Node nodes = 13;
constexpr Duration latency = 1ms;

Options workload(std::string_view algorithm, bool high_load) {
  Options options;
  options.algorithm = algorithm;
  options.clusters = {nodes};
  options.requests = 50;
  options.local_latency = options.remote_latency = Distribution::constant(latency);
  options.hold = Distribution::constant(5 * latency);
  options.think =
      high_load ? Distribution::constant(0ms) : Distribution::exponential(nodes * 100 * latency);
  return options;
}

struct Means {
  Sample messages, client_delay, sync_delay, fairness;
  std::size_t deadlocks = 0;
};

/// Means are over the runs that did not deadlock.
Means measure(Options options, const Seeds& seeds) {
  Means means;
  for (options.seed = seeds.first; options.seed <= seeds.last; ++options.seed) {
    Result result = simulate(options);
    means.deadlocks += result.violation.has_value();
    if (result.violation) continue;
    means.messages.add(result.report.busy_messages_per_entry);
    means.client_delay.add(result.report.client_delay_s / seconds_of(latency));
    means.sync_delay.add(result.report.sync_delay_s / seconds_of(latency));
    means.fairness.add(result.report.fairness);
  }
  return means;
}

/// Measurements of one algorithm.
struct Measurements {
  About about;
  Means low, high;
};

std::vector<Measurements> measure_all(const Seeds& seeds) {
  std::vector<Measurements> lines;
  for (const CatalogEntry& entry : catalog()) {
    const About& about = entry.about;
    bool variant = about.name.find('@') != std::string_view::npos;
    if (!variant && !entry.is_preset()) lines.push_back({about, {}, {}});
  }
  in_parallel(2 * lines.size(), [&](std::size_t index) {
    Measurements& line = lines[index / 2];
    bool high_load = index % 2 == 1;
    (high_load ? line.high : line.low) = measure(workload(line.about.name, high_load), seeds);
  });
  return lines;
}

/// Waits for the ring's token, in message times, depending on which processes want it.
struct RingTimes {
  /// One process wants it now and then.
  double least = nodes, mean = 0, most = 0;
  /// In `alone`, one process wants it again and again; in `opposite`, two on opposite sides do.
  double alone = 0, opposite = 0;
};

RingTimes measure_ring(const Seeds& seeds) {
  RingTimes times;
  Sample means, alone, opposite;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    auto run = [&](bool high_load, std::vector<Node> askers) {
      Options options = workload("ring", high_load);
      options.seed = seed;
      options.askers = std::move(askers);
      return simulate(options).report;
    };
    Summary wait_s = run(false, {nodes / 2}).wait_s;
    times.least = std::min(times.least, wait_s.min / seconds_of(latency));
    times.most = std::max(times.most, wait_s.max / seconds_of(latency));
    means.add(wait_s.mean / seconds_of(latency));
    alone.add(run(true, {nodes / 2}).wait_s.p50 / seconds_of(latency));
    opposite.add(run(true, {0, nodes / 2}).sync_delay_s / seconds_of(latency));
  }
  times.mean = means.mean();
  times.alone = alone.mean();
  times.opposite = opposite.mean();
  return times;
}

/// A range of numbers that a textbook gives; empty optional if it gives none.
struct Interval {
  double least;
  double most;
};
constexpr int n = nodes;
constexpr int k = 4;

/// The textbooks' messages per entry with N = 13, K = 4. Messages to the node itself, such as its
/// own vote or those of the server's own node, are free.
std::optional<Interval> textbook_messages(std::string_view name) {
  if (name == "central") return Interval{3.0 * (n - 1) / n, 3.0 * (n - 1) / n};
  if (name == "ring") return Interval{1, n};
  if (name == "ring-idle-hold") return Interval{0, 2 * n};
  if (name == "ricart-agrawala") return Interval{2 * (n - 1), 2 * (n - 1)};
  if (name == "ricart-agrawala-kept") return Interval{0, 2 * (n - 1)};
  if (name.starts_with("maekawa")) return Interval{3 * (k - 1), 5 * (k - 1)};
  if (name == "lamport") return Interval{3 * (n - 1), 3 * (n - 1)};
  if (name == "suzuki-kasami") return Interval{0, n};
  return {};
}

std::string print_messages(std::string_view name) {
  auto interval = textbook_messages(name);
  if (name == "central") return fmt::format("{:.1f}", interval->least);
  if (name == "suzuki-kasami") return fmt::format("0 or {}", n);
  if (name == "raymond") return "4 (high)";
  if (!interval) return "O(log N)";
  if (interval->least == interval->most) return fmt::format("{:.0f}", interval->least);
  return fmt::format("{:.0f}..{:.0f}", interval->least, interval->most);
}

/// Parses the catalogue's "2", "0..N", "0 or 2", "0, or N"; empty for "O(log N)" and the like.
std::optional<Interval> textbook_delay(std::string_view text) {
  auto value = [](char c) { return c == 'N' ? n : c - '0'; };
  auto is_value = [](char c) { return c == 'N' || ('0' <= c && c <= '9'); };
  if (!is_value(text.front()) || !is_value(text.back())) return {};
  return Interval{double(value(text.front())), double(value(text.back()))};
}

std::string number(double value) { return fmt::format("{:.2f}", value); }

/// Explains why a vote takes less than the two messages of the textbook.
std::string voting_remark(double sync_delay) {
  return fmt::format(
      "maekawa takes {:.2f} message times from one holder to the next where the textbook has a "
      "round trip, RELEASE to the voter that both need and its VOTE: if that voter is the old "
      "holder or the new one, which it is in {:.0f}% of these, one of the two messages is its own "
      "and takes no time.",
      sync_delay, 100 * (2 - sync_delay));
}

std::vector<std::string> remarks(double voting_delay) {
  std::vector<std::string> list;
  auto remark = [&](std::string_view text) { list.emplace_back(text); };
  remark(
      "naimi-trehel costs a few messages however many nodes there are, and none to enter again "
      "where the token rests: the default of the real peers.");
  remark(
      "ring counts only messages sent while somebody wanted to enter; when idle it sends one per "
      "message time for ever.");
  list.push_back(voting_remark(voting_delay));
  return list;
}

constexpr std::string_view section = "lecture notes, section 15.2";

const Measurements& line_of(const std::vector<Measurements>& lines, std::string_view name) {
  return *std::find_if(lines.begin(), lines.end(),
                       [&](const Measurements& line) { return line.about.name == name; });
}

std::vector<PaperClaim> judge_ring(const RingTimes& ring, double server, double crowded) {
  auto is = [](double value, double expected) { return std::abs(value - expected) < 0.05; };
  return {
      {std::string(section), "Who wants the ring's token waits for 0 to N messages.",
       fmt::format("0 to {}", n),
       fmt::format("{:.2f} to {:.2f}, and {:.2f} in the mean, of one process that wants it now and "
                   "then.",
                   ring.least, ring.most, ring.mean),
       judged(ring.least < 0.5 && ring.most > n - 0.5 && ring.most <= n)},
      {std::string(section),
       "From one holder to the next a ring takes a round trip, as a server does.", "a round trip",
       fmt::format(
           "{:.2f} message times with the server. With the ring it is a whole turn only if "
           "nobody else wants the token: {:.2f}. Between two processes on opposite sides it "
           "is {:.2f}, and {:.2f} if everybody waits: 1 to N.",
           server, ring.alone, ring.opposite, crowded),
       is(ring.alone, n) && is(crowded, 1) ? ClaimVerdict::in_part : ClaimVerdict::does_not_hold},
  };
}

std::vector<PaperClaim> judge(const std::vector<Measurements>& lines, const RingTimes& ring) {
  auto sync = [&](std::string_view name) { return line_of(lines, name).high.sync_delay.mean(); };
  auto low = [&](std::string_view name) { return line_of(lines, name).low.messages.mean(); };
  auto high = [&](std::string_view name) { return line_of(lines, name).high.messages.mean(); };
  auto is = [](double value, double expected) { return std::abs(value - expected) < 0.05; };
  // The server is also a node, and its messages to itself take no time.
  bool round_trips = is(sync("central"), 2.0 * (n - 1) / n) && is(sync("ricart-agrawala"), 1);
  std::vector<PaperClaim> claims{
      {std::string(section),
       "From one holder to the next a server takes a round trip; where everybody is asked it is "
       "one message.",
       "2 and 1 message times",
       fmt::format("{:.2f}, as the server's own messages take no time, and {:.2f}. A token is "
                   "handed over in one message, too (naimi-trehel {:.2f}).",
                   sync("central"), sync("ricart-agrawala"), sync("naimi-trehel")),
       judged(round_trips)},
      {std::string(section), "Asking everybody takes 2(N-1) messages an entry.",
       fmt::format("textbook, {}", 2 * (n - 1)),
       fmt::format("{:.2f} and {:.2f} at low and high load: what fairness by time stamps (ME3) "
                   "costs.",
                   low("ricart-agrawala"), high("ricart-agrawala")),
       judged(is(low("ricart-agrawala"), 2 * (n - 1)) && is(high("ricart-agrawala"), 2 * (n - 1)))},
  };
  for (PaperClaim& claim : judge_ring(ring, sync("central"), sync("ring")))
    claims.push_back(std::move(claim));
  const Means& printed = line_of(lines, "maekawa-textbook").high;
  claims.push_back({std::string(section),
                    "Votes of the members of a voting set are enough to enter (as the notes have "
                    "the protocol).",
                    "",
                    fmt::format("At high load maekawa-textbook deadlocks in {} of {} runs; maekawa "
                                "does not, for up to 5 messages a vote instead of 3: {:.1f} an "
                                "entry.",
                                printed.deadlocks, printed.deadlocks + printed.messages.count(),
                                high("maekawa")),
                    judged(printed.deadlocks == 0)});
  return claims;
}

/// An empty figure with bars for each algorithm.
Figure by_algorithm(const std::vector<Measurements>& lines, std::string_view title, Axis y) {
  Figure figure{std::string(title), std::string(section), Shape::bars, {"algorithm"}, std::move(y)};
  for (const Measurements& line : lines) figure.x.names.emplace_back(line.about.name);
  return figure;
}

void add(Figure& figure, std::size_t place, const std::optional<Interval>& textbook) {
  if (!textbook) return;
  auto x = static_cast<double>(place);
  figure.at("textbook, at least", Whose::paper).points.push_back({x, textbook->least});
  figure.at("textbook, at most", Whose::paper).points.push_back({x, textbook->most});
}

void add(Figure& figure, std::size_t place, std::string_view series, const Sample& sample) {
  if (sample.count() == 0) return;  // it always deadlocks
  figure.at(series).points.push_back(at(static_cast<double>(place), sample));
}

std::vector<Figure> draw(const std::vector<Measurements>& lines) {
  Figure messages =
      by_algorithm(lines, "Bandwidth: messages per entry", {"messages per entry", "messages"});
  Figure client =
      by_algorithm(lines, "Client delay: from request to entry when nobody else wants it",
                   {"client delay", "message times"});
  Figure sync = by_algorithm(lines, "Synchronization delay: from one holder to the next",
                             {"synchronization delay", "message times"});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Measurements& line = lines[i];
    add(messages, i, textbook_messages(line.about.name));
    add(messages, i, "low load", line.low.messages);
    add(messages, i, "high load", line.high.messages);
    add(client, i, textbook_delay(line.about.client_delay));
    add(client, i, "low load", line.low.client_delay);
    add(sync, i, textbook_delay(line.about.sync_delay));
    add(sync, i, "high load", line.high.sync_delay);
  }
  return {messages, client, sync};
}

}  // namespace

ExperimentResult textbook(const Setup& setup) {
  const Seeds& seeds = setup.seeds;
  Table table({"algorithm", "textbook", "low", "high", "textbook", "low", "textbook", "high",
               "high", "ME3"});
  table.group("", 1);
  table.group("messages per entry", 3);
  table.group("client delay", 2);
  table.group("sync delay", 2);
  table.group("fairness", 1);
  table.group("", 1);
  std::vector<Measurements> lines = measure_all(seeds);
  auto cell = [](const Sample& sample) {
    return sample.count() > 0 ? number(sample.mean()) : std::string("deadlock");
  };
  for (const auto& [about, low, high] : lines)
    table.row({std::string(about.name), print_messages(about.name), cell(low.messages),
               cell(high.messages), std::string(about.client_delay), cell(low.client_delay),
               std::string(about.sync_delay), cell(high.sync_delay), cell(high.fairness),
               about.promises_order ? "yes" : "no"});
  return {
      fmt::format("{} nodes, every message takes {}, a holder stays {}. Low load: a "
                  "node\nasks every {} on average. High load: it asks again at once. Delays are in "
                  "message times.",
                  nodes, print_duration(latency), print_duration(5 * latency),
                  print_duration(nodes * 100 * latency)),
      std::move(table), remarks(line_of(lines, "maekawa").high.sync_delay.mean()),
      judge(lines, measure_ring(seeds)), draw(lines)};
}

}  // namespace conch::lab
