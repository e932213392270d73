#include "sim/overlay_simulation.hpp"

#include "overlay/chord.hpp"
#include "overlay/end_to_end.hpp"
#include "overlay/non_end_to_end.hpp"
#include "overlay/pastry.hpp"
#include "overlay/routed.hpp"
#include "overlay/sigma.hpp"
#include "sim/overlay_simulation_world.hpp"

namespace conch::sim {

using namespace std::chrono_literals;

OverlaySimulationOptions OverlaySimulationOptions::of(const std::string& protocol,
                                                      const std::string& weather) {
  OverlaySimulationOptions options;
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
  } else if (weather == "idle") {
    options.tuning.replication.lease = 1s;
    options.requests = 6;
    options.drift = 0.05;
    options.mishaps = {.resets = 45, .crashes = 8, .joins = 2};
  } else if (weather == "dead") {
    options.tuning.replication.lease = 1s;
    options.mishaps.dead = true;
  } else if (weather == "parted") {
    options.tuning.replication.lease = 1s;
    options.requests = 30;
    options.dwell = 1;
    options.cancel = 0;
    options.mishaps.apart = 10s;
  } else {
    throw BadText(
        "the weather is calm, crowded, lossy, stormy, shaky, wary, idle, dead or parted, "
        "not " +
        weather);
  }
  return options;
}

namespace {

template <class P>
OverlaySimulationResult run(const OverlaySimulationOptions& options) {
  if (options.overlay == "perfect-pastry" || options.overlay == "perfect-chord")
    return OverlaySimulation<P>(options).run();
  if (options.overlay == "pastry")
    return OverlaySimulation<overlay::Routed<P, overlay::Pastry>>(options).run();
  if (options.overlay == "chord")
    return OverlaySimulation<overlay::Routed<P, overlay::Chord>>(options).run();
  throw BadText("--dht is pastry, chord, perfect-pastry or perfect-chord, not " + options.overlay);
}

}  // namespace

void OverlaySimulationResult::add(const OverlaySimulationResult& other) {
  asked += other.asked;
  granted += other.granted;
  cancelled += other.cancelled;
  crashed += other.crashed;
  lost += other.lost;
  outlived += other.outlived;
  expired += other.expired;
  unreachable += other.unreachable;
  messages += other.messages;
  for (const auto& [kind, count] : other.kinds) kinds[kind] += count;
  length += other.length;
}

std::vector<std::uint64_t> places_of(const OverlaySimulationOptions& options) {
  Random random(options.seed, 1);
  return draw_places(options, random);
}

OverlaySimulationResult simulate_overlay(const OverlaySimulationOptions& options) {
  if (options.protocol == "sigma") return run<overlay::Sigma>(options);
  if (options.protocol == "end-to-end") return run<overlay::EndToEnd>(options);
  if (options.protocol == "non-end-to-end") return run<overlay::NonEndToEnd>(options);
  throw BadText("unknown protocol over an overlay: " + options.protocol);
}

}  // namespace conch::sim
