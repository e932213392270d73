#include "explore/draw.hpp"

#include "explore/dice.hpp"
#include "sim/overlay_simulation.hpp"

namespace conch::explore {

namespace {

Task conch_task(const char* command, const CatalogEntry& entry) {
  return {.words = {command, std::string(entry.about.name)},
          .machine_words = {"--json", "--threads", "1"}};
}

/// A number of nodes `5`, or a range `2..5` from which the run draws its own.
std::string draw_nodes(Dice& dice, std::uint64_t least, std::uint64_t most) {
  std::string last = dice.text(least, most);
  return dice.chance(0.3) ? std::to_string(least) + ".." + last : last;
}

}  // namespace

Task draw_overlay(const CatalogEntry& entry, Random& random) {
  Dice dice(random);
  Task task = conch_task("sim", entry);
  std::string weather = dice.one_of(sim::weathers());
  task.set({"--weather", weather, Smaller::never});
  task.set({"--dht", dice.one_of(sim::overlays()), Smaller::never});
  if (dice.chance(0.7)) task.set({"--replicas", dice.text(1, 7), Smaller::lower});
  if (dice.chance(0.5)) task.set({"--nodes", dice.text(9, 40), Smaller::lower, 2});
  if (dice.chance(0.7)) task.set({"--requests", dice.text(2, 30), Smaller::lower});
  bool hands_off = entry.about.name == "end-to-end";
  if (hands_off) task.set({"--hand-off", dice.one_of({"token", "winner", "cleanup"})});
  if (!hands_off) task.set({"--retry", dice.one_of({"never", "informed", "always"})});
  // A longer partition makes two majorities, see docs/limits.md.
  if (weather == "parted") task.set({"--apart", dice.milliseconds(50, 2000), Smaller::never});
  sim::OverlaySimulationOptions options = sim::OverlaySimulationOptions::of(task.words[1], weather);
  const sim::Mishaps& usual = options.mishaps;
  bool may_fail = options.tuning.replication.lease > Duration::zero();
  if (may_fail && usual.apart == Duration::zero()) {
    bool other = dice.chance(0.5);
    auto count = [&](const char* name, unsigned so_many, unsigned most) {
      return std::string(name) + "=" + (other ? dice.text(0, most) : std::to_string(so_many));
    };
    task.set({"--mishaps",
              count("resets", usual.resets, 12) + "," + count("crashes", usual.crashes, 6) + "," +
                  count("pauses", usual.pauses, 5) + "," +
                  count("suspicions", usual.suspicions, 20) + "," +
                  count("partitions", usual.partitions, 2) + "," + count("joins", usual.joins, 5),
              Smaller::counts});
  }
  return task;
}

Task draw_election(const CatalogEntry& entry, Random& random) {
  Dice dice(random);
  Task task = conch_task("sim", entry);
  task.set({"--nodes", draw_nodes(dice, 2, dice.chance(0.2) ? 40 : 10), Smaller::lower, 2});
  task.set({"--starts", dice.text(1, 8), Smaller::lower});
  if (dice.chance(0.6)) task.set({"--retires", dice.text(1, 3), Smaller::lower, 0});
  if (entry.can.restarts) {
    task.set({"--crashes", dice.text(0, 6), Smaller::lower, 0});
    task.set({"--restarts", dice.one_of({"0%", "50%", "70%", "100%"}), Smaller::never});
  }
  if (dice.chance(0.5)) task.set({"--spread", dice.milliseconds(1, 100), Smaller::drop});
  if (dice.chance(0.5))  // a bully needs to know the longest latency
    task.set({"--latency", dice.one_of({"1ms", "uniform:0ms..3ms", "uniform:1ms..50ms"})});
  if (!entry.about.needs_fifo && dice.chance(0.5)) task.set({"--channel", "any"});
  return task;
}

Task draw_handover(const CatalogEntry& entry, Random& random) {
  Dice dice(random);
  Task task = conch_task("handover", entry);
  std::uint64_t peers = dice.number(1, 12);
  task.set({"--peers", std::to_string(peers), Smaller::lower});
  if (entry.can.dynamic && peers > 1 && dice.chance(0.8))
    task.set({"--churners", dice.text(1, peers - 1), Smaller::lower, 0});
  task.set({"--cycles", dice.text(1, 20), Smaller::lower});
  task.set({"--wait", dice.milliseconds(1, 300), Smaller::never});
  task.set({"--opening", dice.milliseconds(0, 200), Smaller::never});
  if (dice.chance(0.5)) task.set({"--idle", dice.milliseconds(0, 50)});
  if (dice.chance(0.5)) task.set({"--overlap", dice.milliseconds(0, 100)});
  if (dice.chance(0.7)) task.set({"--locked", dice.milliseconds(0, 30)});
  if (dice.chance(0.7)) task.set({"--bytes", dice.one_of({"1000", "100000", "10000000"})});
  if (dice.chance(0.5)) task.set({"--wires", "uniform"});
  if (dice.chance(0.5)) task.set({"--prefetch"});
  return task;
}

Task draw_survival(const CatalogEntry& entry, Random& random) {
  Dice dice(random);
  Task task = conch_task("survive", entry);
  if (dice.chance(0.6))
    task.set({"--nodes", draw_nodes(dice, 2, dice.chance(0.2) ? 16 : 8), Smaller::lower, 2});
  if (dice.chance(0.3)) task.set({"--lease", dice.one_of({"200ms", "500ms", "3s", "10s"})});
  if (dice.chance(0.4)) {
    std::uint64_t drift = dice.number(0, 30);
    task.set({"--drift", std::to_string(drift), Smaller::never});
    task.set({"--clock-drift", dice.text(0, drift), Smaller::never});
  }
  return task;
}

/// Without a register the clocks may drift by 5 % at most.
Task draw_ring_survival(const CatalogEntry& entry, Random& random) {
  Dice dice(random);
  Task task = conch_task("survive", entry);
  if (dice.chance(0.3)) task.set({"--lease", dice.one_of({"200ms", "500ms", "3s", "10s"})});
  if (dice.chance(0.4)) task.set({"--clock-drift", dice.text(0, 5), Smaller::never});
  return task;
}

}  // namespace conch::explore
