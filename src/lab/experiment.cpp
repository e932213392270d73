#include "lab/experiment.hpp"

#include <array>

#include "catalog/catalog.hpp"

namespace conch::lab {

namespace {

/// Runs of minutes of virtual time differ little.
constexpr Seeds few_seeds{1, 5};

constexpr std::array list{
    Experiment{"textbook", "all algorithms on one workload, at low and at high load", textbook},
    Experiment{"textbook-faults", "each algorithm against one lost message and one crash",
               textbook_faults},
    Experiment{"elections", "messages and turnaround of elections (seed 001, section 15.3)",
               elections},
    Experiment{"hierarchical", "obtaining times and messages in clusters (seed 004, table 1)",
               hierarchical},
    Experiment{.name = "planet",
               .about = "which algorithm and which eps for peers in up to 50 cities, by load",
               .run_there = planet,
               .seeds = {1, 3}},
    Experiment{.name = "clusters",
               .about = "clusters that peers find by measuring round trips, on the same planet",
               .run_there = auto_clusters,
               .seeds = {1, 3}},
    Experiment{.name = "elmp-messages",
               .about = "messages per request against the number of nodes (seed 003, O(log n))",
               .run_on = elmp_messages,
               .seeds = {1, 3}},
    Experiment{.name = "dho-cycle",
               .about = "cycle time against the size of the data (seed 003, figure 7, equation 4)",
               .run_on = dho_cycle,
               .seeds = few_seeds},
    Experiment{.name = "dho-overlap",
               .about = "asynchronous locks: what overlap hides (seed 003, figure 8)",
               .run_on = dho_overlap,
               .seeds = few_seeds},
    Experiment{.name = "dho-mobility",
               .about = "the cost of peers that leave and come back (seed 003, table 2)",
               .run_on = dho_mobility,
               .seeds = few_seeds},
    Experiment{.name = "p2p-nodes",
               .about = "locks over an overlay: messages against nodes (seed 002, figure 3a)",
               .run = p2p_nodes,
               .seeds = few_seeds},
    Experiment{.name = "p2p-load",
               .about = "... against requests in each round (seed 002, figure 3b)",
               .run = p2p_load,
               .seeds = {1, 3}},
    Experiment{.name = "p2p-distribution",
               .about = "... the load of each node, with 10 and 40 replicas (seed 002, figure 4)",
               .run = p2p_distribution,
               .seeds = {1, 3}},
    Experiment{.name = "p2p-churn",
               .about = "... while nodes come and go (seed 002, figure 5)",
               .run = p2p_churn,
               .seeds = {1, 3}},
    Experiment{.name = "p2p-scale",
               .about = "... with up to a million nodes; takes a minute or two",
               .run = p2p_scale,
               .seeds = {1, 1}},
};

}  // namespace

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
