#include "sim/community.hpp"

#include <stdexcept>

#include "overlay/chord.hpp"
#include "overlay/end_to_end.hpp"
#include "overlay/non_end_to_end.hpp"
#include "overlay/pastry.hpp"
#include "overlay/routed.hpp"
#include "overlay/sigma.hpp"
#include "sim/community_world.hpp"

namespace conch::sim {

using namespace std::chrono_literals;

CommunityOptions CommunityOptions::of(const std::string& protocol, const std::string& weather) {
  CommunityOptions options;
  options.protocol = protocol;
  options.tuning.replication.name = overlay::hash_of_name("conch");
  options.tuning.replication.round_trip = 60ms;
  options.tuning.replication.section = 30ms;
  if (weather == "calm") {
    options.duplicate = 0.1;
  } else if (weather == "crowded") {
    options.duplicate = 0.3;
    options.latency = Distribution::exponential(20ms);
    options.burst = 10ms;
    options.cancel = 0;
    options.tuning.replication.section = 5ms;
  } else if (weather == "lossy") {
    options.tuning.replication.lease = 1s;
    options.lose = 0.05;
    options.duplicate = 0.1;
  } else if (weather == "stormy") {
    options.tuning.replication.lease = 1s;
    options.lose = 0.02;
    options.duplicate = 0.05;
    options.drift = 0.05;
    options.dwell = 0.2;
    options.mishaps = {.crashes = 4, .pauses = 3, .suspicions = 2, .partitions = 1, .joins = 3};
  } else if (weather == "shaky") {
    options.tuning.replication.lease = 1s;
    options.lose = 0.1;
    options.dwell = 0.7;
    options.mishaps.resets = 12;
  } else if (weather == "wary") {
    options.tuning.replication.lease = 1s;
    options.tuning.replication.section = 60ms;
    options.mishaps.suspicions = 60;
  } else if (weather == "dead") {
    options.tuning.replication.lease = 1s;
    options.mishaps.dead = true;
  } else {
    throw std::invalid_argument(
        "the weather is calm, crowded, lossy, stormy, shaky, wary or dead, not " + weather);
  }
  return options;
}

namespace {

template <class P>
CommunityResult run(CommunityOptions options) {
  if (options.overlay.empty()) return Community<P>(options).run();
  if (options.overlay == "pastry") {
    options.root = PerfectOverlay::Root::nearest;
    return Community<overlay::Routed<P, overlay::Pastry>>(options).run();
  }
  if (options.overlay == "chord") {
    options.root = PerfectOverlay::Root::successor;
    return Community<overlay::Routed<P, overlay::Chord>>(options).run();
  }
  throw std::invalid_argument("an overlay is pastry, chord, or not given, not " + options.overlay);
}

}  // namespace

CommunityResult run_community(const CommunityOptions& options) {
  if (options.protocol == "sigma") return run<overlay::Sigma>(options);
  if (options.protocol == "end-to-end") return run<overlay::EndToEnd>(options);
  if (options.protocol == "non-end-to-end") return run<overlay::NonEndToEnd>(options);
  throw std::invalid_argument("no protocol over an overlay is called " + options.protocol);
}

}  // namespace conch::sim
