#include "lab/experiment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "catalog/catalog.hpp"
#include "sim/distribution.hpp"

namespace conch::lab {

namespace {

/// Five seeds suffice where runs last minutes of virtual time: they differ little.
constexpr Seeds few_seeds{1, 5};

constexpr Seeds three_seeds{1, 3};

/// The size of the planet, and how much longer its cables are than the straight line. "Multiply
/// line-of-sight distance by 2.1, then divide by the speed of light in fiber" is the rule of thumb
/// of the measurements that [Bozkurt 2018] cites. With the best ways through today's cables it
/// would be 1.3.
constexpr ExperimentOption planet_settings[] = {
    {.name = "cities",
     .about = "cities",
     .full = "5,20,50",
     .quick = "5,20",
     .smoke = "5",
     .least = 5,
     .most = 50},
    {.name = "stretch",
     .about = "how much longer than the great circle cables are",
     .full = "2.1",
     .most = 10,
     .is_whole = false},
};

// The settings of Muhammad 2005, tables 1 and 2; tests use fewer nodes.
constexpr ExperimentOption replicas{
    .name = "replicas", .about = "replicas of each resource", .full = "10", .most = 1000};
constexpr ExperimentOption resources{
    .name = "resources", .about = "resources, with a lock each", .full = "65", .most = 100'000};
constexpr ExperimentOption rounds{.name = "rounds", .about = "rounds", .full = "20", .most = 1000};
constexpr ExperimentOption requests{
    .name = "requests", .about = "requests in each round", .full = "20", .most = 100'000};
constexpr ExperimentOption nodes{.name = "nodes",
                                 .about = "nodes of the overlay",
                                 .full = "6500",
                                 .smoke = "1000",
                                 .least = 2,
                                 .most = 1'000'000};

/// Returns the setting with other values.
constexpr ExperimentOption with(ExperimentOption setting, std::string_view full,
                                std::string_view quick = {}, std::string_view smoke = {}) {
  setting.full = full;
  setting.quick = quick;
  setting.smoke = smoke;
  return setting;
}

constexpr ExperimentOption p2p_nodes_settings[] = {
    with(nodes, "500,1000,2000,3500,5000,6500,10000", "500,2000,6500,10000", "500,1000"), replicas,
    resources, rounds, requests};
constexpr ExperimentOption p2p_load_settings[] = {
    nodes, replicas, resources, rounds,
    with(requests, "10,20,40,60,80,100", "10,20,40,100", "10,40")};
constexpr ExperimentOption p2p_distribution_settings[] = {with(nodes, "1000", {}, "200"),
                                                          with(replicas, "10,40"),
                                                          with(resources, "10"), rounds, requests};
/// The figure of the paper ends at a churn of 200, that of its short version at 3000.
constexpr ExperimentOption p2p_churn_settings[] = {
    nodes,
    replicas,
    resources,
    rounds,
    requests,
    ExperimentOption{.name = "churn",
                     .about = "nodes that leave or come in a round",
                     .full = "0,100,200,1000,3000",
                     .quick = "0,100,200,3000",
                     .smoke = "0,100,200,400",
                     .least = 0}};
constexpr ExperimentOption p2p_scale_settings[] = {
    with(nodes, "1000,10000,100000,1000000", "1000,10000,100000", "1000,3000"), replicas, rounds};

constexpr ExperimentOption elmp_settings[] = {{.name = "nodes",
                                               .about = "nodes",
                                               .full = "10,32,100,316,1000,3162,10000",
                                               .quick = "10,32,100,316,1000",
                                               .smoke = "100,316",
                                               .least = 2,
                                               .most = 10'000}};

/// "Peers carry out 100 DHO cycles" [Hernane 2015, section 7].
constexpr ExperimentOption cycles{.name = "cycles",
                                  .about = "cycles of each peer",
                                  .full = "100",
                                  .quick = "20",
                                  .least = 10,
                                  .most = 10'000};
constexpr ExperimentOption data{
    .name = "data", .about = "size of the data", .full = "50MiB", .most = 1 << 30};
constexpr ExperimentOption peers{
    .name = "peers", .about = "peers", .full = "50", .least = 2, .most = 1000};

constexpr ExperimentOption cycle_settings[] = {
    peers,
    cycles,
    {.name = "data",
     .about = "sizes of the data",
     .full = "1KiB,100KiB,1MiB,10MiB,50MiB,100MiB",
     .quick = "1KiB,1MiB,10MiB,100MiB",
     .smoke = "1KiB,10MiB",
     .most = 1 << 30},
    {.name = "locked",
     .about = "T_locked in seconds",
     .full = "0,1",
     .least = 0,
     .most = 3600,
     .is_whole = false},
};
constexpr ExperimentOption overlap_settings[] = {
    peers,
    cycles,
    data,
    {.name = "overlap",
     .about = "T_Wblocked in seconds",
     .full = "0,5,10,15,20,25,30",
     .quick = "0,5,15,20,30",
     .smoke = "0,10",
     .least = 0,
     .most = 3600,
     .is_whole = false},
};
constexpr ExperimentOption mobility_settings[] = {
    {.name = "peers", .about = "peers", .full = "50,120", .smoke = "50", .least = 4, .most = 1000},
    cycles,
    data,
    {.name = "locked",
     .about = "T_locked in seconds",
     .full = "5",
     .least = 0,
     .most = 3600,
     .is_whole = false},
    {.name = "waits",
     .about = "T1 = T2 in rounds of the queue",
     .full = "0.1,0.5,1.25,1.5",
     .smoke = "0.5,1.25",
     .least = 0.01,
     .most = 10,
     .is_whole = false},
};

constexpr std::array list{
    Experiment{"textbook", "all algorithms on one workload, at low and at high load", textbook},
    Experiment{"textbook-faults", "each algorithm against one lost message and one crash",
               textbook_faults},
    Experiment{"textbook-reuse",
               "a process that enters many times in a row (lecture notes, exercise 15.7)",
               textbook_reuse},
    Experiment{"elections", "messages and turnaround of elections (lecture notes, section 15.3)",
               elections},
    Experiment{"hierarchical",
               "obtaining times and messages in clusters (Bertier 2004, table 1)",
               hierarchical,
               {1, 20}},
    Experiment{"planet", "which algorithm and which eps for peers in up to 50 cities, by load",
               planet, three_seeds, planet_settings},
    Experiment{"clusters", "clusters that peers find by measuring round trips, on the same planet",
               auto_clusters, three_seeds, planet_settings},
    Experiment{.name = "elmp-messages",
               .about = "messages per request against the number of nodes (Hernane 2015, O(log n))",
               .measure = elmp_messages,
               .seeds = three_seeds,
               .settings = elmp_settings,
               .has_engines = true},
    Experiment{"dho-request",
               "the path of a request between two neighbours (Hernane 2015, figure 5, table 1)",
               dho_request,
               {1, 1}},
    Experiment{
        .name = "dho-cycle",
        .about = "cycle time against the size of the data (Hernane 2015, figure 7, equation 4)",
        .measure = dho_cycle,
        .seeds = few_seeds,
        .settings = cycle_settings,
        .has_engines = true},
    Experiment{.name = "dho-overlap",
               .about = "asynchronous locks: what overlap hides (Hernane 2015, figure 8)",
               .measure = dho_overlap,
               .seeds = few_seeds,
               .settings = overlap_settings,
               .has_engines = true},
    Experiment{.name = "dho-mobility",
               .about = "the cost of peers that leave and come back (Hernane 2015, table 2)",
               .measure = dho_mobility,
               .seeds = few_seeds,
               .settings = mobility_settings,
               .has_engines = true},
    Experiment{"p2p-nodes",
               "locks over an overlay: messages against nodes (Muhammad 2005, figure 3a)",
               p2p_nodes, Seeds{}, p2p_nodes_settings},
    Experiment{"p2p-load",
               "messages over an overlay against requests in each round (Muhammad 2005, figure 3b)",
               p2p_load, Seeds{}, p2p_load_settings},
    Experiment{
        "p2p-distribution",
        "the load of each node of an overlay, with 10 and 40 replicas (Muhammad 2005, figure 4)",
        p2p_distribution, Seeds{}, p2p_distribution_settings},
    Experiment{"p2p-churn",
               "messages over an overlay while nodes come and go (Muhammad 2005, figure 5)",
               p2p_churn, Seeds{}, p2p_churn_settings},
    Experiment{.name = "p2p-scale",
               .about = "locks over an overlay with up to a million nodes; takes a minute or two",
               .measure = p2p_scale,
               .seeds = {1, 1},
               .settings = p2p_scale_settings,
               .has_verdicts = false},
};

std::string print_seeds(const Seeds& seeds, const Seeds& usual) {
  if (seeds.count() == 1) return fmt::format("One run, with seed {}.", seeds.first);
  std::string text = fmt::format("Means and verdicts are of {} runs, with seeds {} to {}.",
                                 seeds.count(), seeds.first, seeds.last);
  if (seeds.count() < usual.count())
    text += fmt::format(" Of fewer than {}, a verdict may change with the seeds.", usual.count());
  return text;
}

}  // namespace

Setup Experiment::setup_at(Scale scale) const {
  std::uint64_t last = pick(scale, seeds.first, seeds.first + 1, seeds.last);
  Setup setup{.seeds = {seeds.first, std::min(last, seeds.last)}, .scale = scale};
  for (const ExperimentOption& setting : settings)
    setup.settings[setting.name] = setting.parse(setting.usual(scale));
  return setup;
}

void Experiment::set(Setup& setup, std::string_view setting, std::string_view text) const {
  std::string known;
  for (const ExperimentOption& each : settings) {
    if (each.name == setting) {
      setup.settings[each.name] = each.parse(text);
      setup.changed += fmt::format(" --{} {}", setting, text);
      return;
    }
    known += fmt::format("{}--{}", known.empty() ? "" : ", ", each.name);
  }
  throw BadText(fmt::format("{} takes no --{}; it takes {}", name, setting,
                            known.empty() ? "no settings" : known));
}

ExperimentResult Experiment::run(const Setup& setup) const {
  ExperimentResult findings = measure(setup);
  findings.setting += "\n" + print_seeds(setup.seeds, seeds);
  if (!setup.changed.empty())
    findings.setting += fmt::format("\nNot the usual setting, nor a paper's:{}.", setup.changed);
  return findings;
}

std::span<const Experiment> experiments() { return list; }

const Experiment& find_experiment(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : list) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  std::string message = "there is no experiment \"" + std::string(name) + "\"";
  std::string_view suggestion = nearest(name, names);
  if (!suggestion.empty()) message += "; did you mean \"" + std::string(suggestion) + "\"?";
  throw UnknownName(message + " (conch lab list lists them)");
}

}  // namespace conch::lab
