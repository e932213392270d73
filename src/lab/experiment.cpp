#include "lab/experiment.hpp"

#include <algorithm>
#include <array>

#include "catalog/catalog.hpp"

namespace conch::lab {

namespace {

/// Runs of minutes of virtual time differ little.
constexpr Seeds few_seeds{1, 5};

constexpr Seeds three_seeds{1, 3};

constexpr std::array list{
    Experiment{"textbook", "all algorithms on one workload, at low and at high load", textbook},
    Experiment{"textbook-faults", "each algorithm against one lost message and one crash",
               textbook_faults},
    Experiment{"elections", "messages and turnaround of elections (lecture notes, section 15.3)",
               elections},
    Experiment{"hierarchical", "obtaining times and messages in clusters (Bertier 2004, table 1)",
               hierarchical},
    Experiment{.name = "planet",
               .about = "which algorithm and which eps for peers in up to 50 cities, by load",
               .run = planet,
               .seeds = three_seeds,
               .has_planet = true},
    Experiment{.name = "clusters",
               .about = "clusters that peers find by measuring round trips, on the same planet",
               .run = auto_clusters,
               .seeds = three_seeds,
               .has_planet = true},
    Experiment{.name = "elmp-messages",
               .about = "messages per request against the number of nodes (Hernane 2015, O(log n))",
               .run = elmp_messages,
               .seeds = three_seeds,
               .has_engines = true},
    Experiment{
        .name = "dho-cycle",
        .about = "cycle time against the size of the data (Hernane 2015, figure 7, equation 4)",
        .run = dho_cycle,
        .seeds = few_seeds,
        .has_engines = true},
    Experiment{.name = "dho-overlap",
               .about = "asynchronous locks: what overlap hides (Hernane 2015, figure 8)",
               .run = dho_overlap,
               .seeds = few_seeds,
               .has_engines = true},
    Experiment{.name = "dho-mobility",
               .about = "the cost of peers that leave and come back (Hernane 2015, table 2)",
               .run = dho_mobility,
               .seeds = few_seeds,
               .has_engines = true},
    Experiment{"p2p-nodes",
               "locks over an overlay: messages against nodes (Muhammad 2005, figure 3a)",
               p2p_nodes, few_seeds},
    Experiment{"p2p-load",
               "messages over an overlay against requests in each round (Muhammad 2005, figure 3b)",
               p2p_load, three_seeds},
    Experiment{
        "p2p-distribution",
        "the load of each node of an overlay, with 10 and 40 replicas (Muhammad 2005, figure 4)",
        p2p_distribution, three_seeds},
    Experiment{"p2p-churn",
               "messages over an overlay while nodes come and go (Muhammad 2005, figure 5)",
               p2p_churn, three_seeds},
    Experiment{"p2p-scale",
               "locks over an overlay with up to a million nodes; takes a minute or two",
               p2p_scale,
               {1, 1}},
};

}  // namespace

Seeds Experiment::seeds_at(Scale scale) const {
  std::uint64_t last = pick(scale, seeds.first, seeds.first + 1, seeds.last);
  return {seeds.first, std::min(last, seeds.last)};
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
