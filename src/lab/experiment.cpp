#include "lab/experiment.hpp"

#include <array>

#include "catalog/catalog.hpp"

namespace conch::lab {

namespace {

constexpr std::array list{
    Experiment{"textbook", "all algorithms on one workload, at low and at high load", textbook},
    Experiment{"textbook-faults", "each algorithm against one lost message and one crash",
               textbook_faults},
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
