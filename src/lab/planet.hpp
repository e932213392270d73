// Peers in the cities of the planet, twenty in each, and how they get on with an algorithm.
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

/// How long a peer thinks between a release and its next request, in the mean: so many times what
/// a token needs that goes far away for each entry and comes to all peers.
struct Load {
  std::string_view name;
  double multiple;
};
inline constexpr Load light{"light", 10}, medium{"medium", 1}, heavy{"heavy", 0.1},
    saturated{"saturated", 0.01};

/// 10 requests a peer, each inside for 10 ms.
sim::Options on_planet(const Contestant& contestant, std::size_t cities, const Load& load,
                       double stretch);

/// Of several runs; the longest of all of them.
struct Outcome {
  Sample mean_s, p95_s;
  double longest_s = 0;
  Sample global_per_entry, local_per_entry;
  std::uint64_t longest_visit = 0;
};
Outcome measure(sim::Options options, const Seeds& seeds);

}  // namespace conch::lab
