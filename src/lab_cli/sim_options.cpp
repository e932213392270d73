#include "lab_cli/sim_options.hpp"

#include <charconv>
#include <limits>

#include "lab_cli/election_runs.hpp"
#include "lab_cli/overlay_runs.hpp"
#include "lab_cli/runs.hpp"

namespace conch::lab_cli {

SeedRange parse_seeds(const std::string& text) {
  auto number = [&](std::string_view digits) {
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size())
      throw BadText("--seeds \"" + text + "\" is not a range such as 1..200");
    return value;
  };
  std::string_view view = text;
  auto dots = view.find("..");
  SeedRange range{number(view.substr(0, dots)), 0};
  range.last = dots == std::string_view::npos ? range.first : number(view.substr(dots + 2));
  if (range.last < range.first) throw BadText("--seeds " + text + " is empty: the first is larger");
  return range;
}

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

void add_sim_options(CLI::App& command, SimTexts& texts) {
  command.add_option("algorithm", texts.algorithm, "Algorithm; see conch algorithms")->required();

  std::string group = "Who";
  auto* nodes = command.add_option("--nodes", texts.nodes,
                                   "Number of nodes [10], or a range to draw it from: 2..100");
  nodes->group(group);
  command.add_option("--clusters", texts.clusters, "3x3 (three of three) or 4,2,3 (their sizes)")
      ->group(group)
      ->excludes(nodes);
  command.add_option("--sites", texts.sites, "Number of clusters at each site: 2,1")->group(group);
  add_tuning_options(command, texts.tuning, group);

  group = "Workload";
  command
      .add_option(
          "--requests", texts.requests,
          "Requests per node [20]; of all nodes together, over an overlay [10, 30 if parted]")
      ->group(group);
  command.add_option("--hold", texts.hold, "Time that a holder stays [5ms]")->group(group);
  command.add_option("--think", texts.think, "Time before a node requests again [exp:10ms]")
      ->group(group);
  command.add_option("--readers", texts.readers, "Share of requests that only read")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--ranges", texts.ranges,
                  "Blocks in the data; each request is for a range of them")
      ->group(group)
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  command.add_option("--cancel", texts.cancel, "Share of requests cancelled while they wait")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--churn", texts.churn,
                  "Share of nodes that drop requests, leave and rejoin: the out-of-order cycle")
      ->group(group)
      ->capture_default_str();
  command
      .add_option("--chatter", texts.chatter,
                  "Share of requests told to another process, which then asks too")
      ->group(group)
      ->capture_default_str();

  group = "Network (durations: 500ms; distributions: exp:500ms, uniform:0..1s, normal:500ms,225ms)";
  command.add_option("--latency", texts.latency, "Latency of every message [uniform:500us..1.5ms]")
      ->group(group);
  command.add_option("--local-latency", texts.local_latency, "Latency within a cluster")
      ->group(group);
  command.add_option("--remote-latency", texts.remote_latency, "Latency between clusters")
      ->group(group);
  command.add_option("--site-latency", texts.site_latency, "Latency between clusters of one site")
      ->group(group);
  command
      .add_option("--bandwidth", texts.bandwidth, "Bandwidth of a node's line, such as 100Mbit/s")
      ->group(group);
  command.add_option("--channel", texts.channel, "fifo, or any: messages may overtake one another")
      ->group(group)
      ->capture_default_str();
  command
      .add_option(
          "--link", texts.link,
          "Reliable link: auto (if the network loses, duplicates or partitions), always, never")
      ->group(group)
      ->capture_default_str();

  group = "Faults (WHO: a node's number, holder, waiter, idle, home or voter; or coordinator)";
  command.add_option("--lose", texts.lose, "Share of messages lost")
      ->group(group)
      ->capture_default_str();
  command.add_option("--duplicate", texts.duplicate, "Share of messages delivered twice")
      ->group(group)
      ->capture_default_str();
  command.add_option("--drop", texts.drop, "Lose only the n-th message")->group(group);
  command.add_option("--clog", texts.clog, "Delay spikes, such as 1%:200ms")->group(group);
  command.add_option("--drift", texts.drift, "Largest error of the clocks' rates")
      ->group(group)
      ->capture_default_str();
  command.add_option("--crash", texts.crash, "WHO@TIME, or WHO@TIME+LENGTH to restart")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--detect", texts.detect, "Time until the others are told of a crash")
      ->group(group);
  command.add_option("--pause", texts.pause, "WHO@TIME+LENGTH")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--partition", texts.partition, "Cut nodes off, such as 0,1@1s+500ms")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--partition-one-way", texts.partition_one_way,
                  "Lose what these nodes send, such as 0,1@1s+500ms")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--suspect", texts.suspect, "WHO@TIME: tell all nodes, wrongly, that it crashed")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--storm", texts.storm,
                  "Duration of random pauses and partitions; then all heals and every node must "
                  "make progress")
      ->group(group);

  add_election_options(command, texts);
  add_overlay_options(command, texts);

  group = "Runs and output";
  auto* seed =
      command.add_option("--seed", texts.seed, "Seed of the run; the same seed repeats it");
  seed->group(group)->capture_default_str();
  command.add_option("--seeds", texts.seeds, "Many runs, such as 1..200")
      ->group(group)
      ->excludes(seed);
  add_threads_option(command, texts.threads, group);
  command.add_flag("--check-order", texts.check_order, "Check ME3 above 256 nodes, too")
      ->group(group);
  command
      .add_flag(
          "--check-visits", texts.check_visits,
          "Check that a visit to a cluster of n has at most n + eps + 1 entries while others wait")
      ->group(group);
  command.add_flag("--json", texts.json, "Print one JSON object")->group(group);
  command
      .add_option("--trace", texts.trace,
                  "Write the run to this file: .ndjson for JSON lines, .shiviz for ShiViz")
      ->group(group);
  command
      .add_flag("--states", texts.states, "Include the nodes' states in the trace, an .ndjson file")
      ->group(group);
  add_show_options(command, texts.show);
}

namespace {

double parse_bandwidth(std::string_view text) {
  double factor = 1e9;
  std::string_view number = text;
  auto strip = [&](std::string_view unit, double bits_per_s) {
    if (!text.ends_with(unit)) return false;
    factor = bits_per_s;
    number = text.substr(0, text.size() - unit.size());
    return true;
  };
  bool known = strip("Gbit/s", 1e9) || strip("Mbit/s", 1e6) || strip("kbit/s", 1e3);
  double value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (!known || error != std::errc{} || end != number.data() + number.size() || value <= 0)
    throw BadText("\"" + std::string(text) + "\" is not a bandwidth such as 100Mbit/s or 1Gbit/s");
  return value * factor / 8;
}

void read_network(const SimTexts& texts, sim::Options& options) {
  auto latency = [&](const std::string& name, const std::optional<std::string>& text,
                     sim::Distribution& into) {
    if (text) into = parsed(name, [&] { return sim::Distribution::parse(*text); });
  };
  latency("--latency", texts.latency, options.local_latency);
  latency("--latency", texts.latency, options.remote_latency);
  latency("--local-latency", texts.local_latency, options.local_latency);
  latency("--remote-latency", texts.remote_latency, options.remote_latency);
  if (texts.site_latency)
    latency("--site-latency", texts.site_latency, options.site_latency.emplace());
  if (texts.bandwidth)
    options.bytes_per_s = parsed("--bandwidth", [&] { return parse_bandwidth(*texts.bandwidth); });
  options.channel = parsed("--channel", [&] {
    return one_of<sim::ChannelOrder>(
        texts.channel, {{"fifo", sim::ChannelOrder::fifo}, {"any", sim::ChannelOrder::any}});
  });
  options.linked = parsed("--link", [&] {
    return one_of<sim::LinkUse>(texts.link, {{"auto", sim::LinkUse::automatic},
                                             {"always", sim::LinkUse::always},
                                             {"never", sim::LinkUse::never}});
  });
}

void read_faults(const SimTexts& texts, sim::Faults& faults) {
  auto share = [](const std::string& name, const std::string& text) {
    return parsed(name, [&] { return parse_share(text); });
  };
  faults.lose = share("--lose", texts.lose);
  faults.duplicate = share("--duplicate", texts.duplicate);
  faults.drift = share("--drift", texts.drift);
  faults.drop = texts.drop;
  if (texts.clog) faults.clog = parsed("--clog", [&] { return sim::parse_clog(*texts.clog); });
  if (texts.detect)
    faults.detect_after = parsed("--detect", [&] { return parse_duration(*texts.detect); });
  if (texts.storm) faults.storm = parsed("--storm", [&] { return parse_duration(*texts.storm); });
  auto schedule = [&](const std::string& name, const std::vector<std::string>& list, auto parse) {
    for (const std::string& text : list)
      faults.scheduled.push_back(parsed(name, [&] { return parse(text); }));
  };
  schedule("--crash", texts.crash, sim::parse_crash);
  schedule("--pause", texts.pause, sim::parse_pause);
  schedule("--suspect", texts.suspect, sim::parse_suspicion);
  schedule("--partition", texts.partition,
           [](const std::string& text) { return sim::parse_partition(text, false); });
  schedule("--partition-one-way", texts.partition_one_way,
           [](const std::string& text) { return sim::parse_partition(text, true); });
}

}  // namespace

sim::Options to_options(const SimTexts& texts) {
  sim::Options options;
  options.algorithm = texts.algorithm;
  options.requests = texts.requests.value_or(options.requests);
  options.seed = texts.seed;
  if (texts.nodes)
    options.drawn_nodes = parsed("--nodes", [&] { return sim::parse_nodes(*texts.nodes); });
  if (texts.clusters)
    options.clusters = parsed("--clusters", [&] { return sim::parse_clusters(*texts.clusters); });
  if (texts.sites)
    options.sites = parsed("--sites", [&] { return sim::parse_clusters(*texts.sites); });
  options.visits_checked = texts.check_visits;
  if (texts.hold)
    options.hold = parsed("--hold", [&] { return sim::Distribution::parse(*texts.hold); });
  if (texts.think)
    options.think = parsed("--think", [&] { return sim::Distribution::parse(*texts.think); });
  options.readers = parsed("--readers", [&] { return parse_share(texts.readers); });
  options.ranges = texts.ranges;
  options.cancel = parsed("--cancel", [&] { return parse_share(texts.cancel); });
  options.churn = parsed("--churn", [&] { return parse_share(texts.churn); });
  options.chatter = parsed("--chatter", [&] { return parse_share(texts.chatter); });
  options.tuning = to_tuning(texts.tuning, find_algorithm(texts.algorithm));
  if (texts.check_order) options.order_checked_up_to = std::numeric_limits<sim::Node>::max();
  read_network(texts, options);
  read_faults(texts, options.faults);
  options = sim::for_seed(options, texts.seed);
  sim::validate(options);
  if (texts.remote_latency && options.clusters.size() < 2)
    throw BadText("--remote-latency: there is only one cluster; give --clusters");
  if (texts.sites && !texts.site_latency && !find_algorithm(texts.algorithm).about.minds_clusters)
    throw BadText("--sites: " + texts.algorithm +
                  " makes no use of sites; the network does, with --site-latency");
  if (texts.check_visits && options.clusters.size() < 2)
    throw BadText("--check-visits: there is only one cluster; give --clusters");
  if (texts.detect && texts.crash.empty()) throw BadText("--detect needs --crash");
  return options;
}

}  // namespace conch::lab_cli
