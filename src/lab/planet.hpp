// The planet: a workload of twenty peers in each of up to 50 cities, to compare algorithms. Used by
// the experiments `planet` and `clusters`.
#pragma once

#include <string>
#include <string_view>

#include "lab/cities.hpp"
#include "lab/experiment.hpp"
#include "sim/simulation.hpp"

namespace conch::lab {

inline constexpr sim::Node peers_per_city = 20;

struct Contestant {
  std::string_view algorithm;
  unsigned eps = 0;

  bool preempts() const { return algorithm.starts_with("preempt"); }
  std::string name() const;
};

/// The mean time that a peer thinks between a release and its next request, in rounds. A round is
/// the time in which the token visits every peer once, if each hop goes to another city and each
/// peer holds it for its 10 ms.
struct Load {
  std::string_view name;
  double multiple;
};
inline constexpr Load light{"light", 10}, medium{"medium", 1}, heavy{"heavy", 0.1},
    saturated{"saturated", 0.01};

/// The options of a run: 10 requests per peer, each holding the lock for 10 ms.
sim::Options on_planet(const Contestant& contestant, std::size_t cities, const Load& load,
                       double stretch);

/// Results over several runs. Times are from request to entry; `longest_s` and `longest_visit` are
/// maxima over all runs. A visit is a stay of the token in one city, counted in entries.
struct PlanetResult {
  Sample mean_s, p95_s;
  double longest_s = 0;
  Sample global_per_entry, local_per_entry;
  std::uint64_t longest_visit = 0;
};
PlanetResult measure(sim::Options options, const Seeds& seeds);

}  // namespace conch::lab
