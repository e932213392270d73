#include <algorithm>

#include "explore/dice.hpp"
#include "explore/draw.hpp"

namespace conch::explore {

namespace {

constexpr Milliseconds enough{4000};
constexpr std::uint64_t often = 2;

class CheckDraw {
 public:
  CheckDraw(const CatalogEntry& entry, Random& random) : entry_(entry), dice_(random) {
    task_.words = {"check", std::string(entry.about.name)};
    task_.machine_words = {"--json", "--threads", "1", "--memory", "1000"};
    task_.seeding = Seeding::none;
    task_.enough = enough;
  }

  Task draw() {
    if (entry_.can.routed) return draw_protocol();
    draw_nodes();
    task_.set({"--requests", dice_.chance(0.7) ? "1" : "2", Smaller::lower});
    if (entry_.can.elects) return draw_election();
    draw_tuning();
    budget("--cancel", 0.4);
    if (entry_.can.dynamic) budget("--leave", 0.4);
    if (entry_.can.dynamic && nodes_ > 1) budget("--join", 0.4, std::min(nodes_ - 1, often));
    if (entry_.can.shared && dice_.chance(0.5))
      task_.set({"--readers", dice_.text(1, nodes_), Smaller::lower, 0});
    // Channels are unordered by default, if the algorithm allows it.
    if (dice_.chance(0.2)) task_.set({"--channel", "fifo", Smaller::never});
    return std::move(task_);
  }

  Task draw_recovery() {
    task_.words.push_back("--recovery");
    task_.set({"--nodes", dice_.text(2, 3), Smaller::lower, 2});
    if (dice_.chance(0.2)) task_.set({"--requests", "2", Smaller::lower});
    for (int faults = 0; faults < 3; ++faults) {
      std::string name = dice_.one_of({"--crash", "--crash", "--suspect", "--pause", "--restart",
                                       "--usurp", "--leave", "--join", "--cancel"});
      bool restarts_nobody = name == "--restart" && !task_.find("--crash");
      if (!task_.find(name) && !restarts_nobody) task_.set({name, "1", Smaller::lower, 0});
    }
    return std::move(task_);
  }

 private:
  void draw_nodes() {
    nodes_ = dice_.number(1, dice_.chance(0.2) ? 4 : 3);
    if (!entry_.about.minds_clusters || dice_.chance(0.2)) {
      task_.set({"--nodes", std::to_string(nodes_), Smaller::lower});
      return;
    }
    std::string layout = dice_.one_of({"1,1", "2,1", "1,2", "1,1,1", "2,2", "2,1,1", "3,1"});
    task_.set({"--clusters", layout, Smaller::list});
    nodes_ = 2;
  }

  void draw_tuning() {
    if (entry_.about.has_eps && dice_.chance(0.7)) task_.set({"--eps", dice_.text(0, 2)});
    if (entry_.algorithm == "elmp" && dice_.chance(0.4)) task_.set({"--order", dice_.text(2, 4)});
  }

  Task draw_election() {
    if (dice_.chance(0.5)) budget("--retire", 1);
    if (entry_.can.restarts && dice_.chance(0.7)) {
      task_.set({"--crash", "1", Smaller::lower, 0});
      if (dice_.chance(0.6)) task_.set({"--restart", "1"});
    }
    return std::move(task_);
  }

  /// The ring of a protocol has timers and copies; no node joins or leaves.
  Task draw_protocol() {
    // With an even number of replicas a vote may be split; without timers it stays so for ever.
    task_.set({"--replicas", dice_.chance(0.3) ? "1" : "3", Smaller::never});
    task_.set({"--nodes", dice_.text(2, 4), Smaller::lower, 2});
    task_.set({"--requesters", dice_.text(1, 2), Smaller::lower});
    task_.set({"--timers", dice_.text(0, 2), Smaller::lower, 0});
    budget("--cancel", 0.3);
    budget("--duplicate", 0.4);
    if (dice_.chance(0.3)) task_.set({"--channel", "fifo", Smaller::never});
    return std::move(task_);
  }

  void budget(const char* name, double chance, std::uint64_t most = often) {
    if (dice_.chance(chance)) task_.set({name, dice_.text(1, most), Smaller::lower, 0});
  }

  const CatalogEntry& entry_;
  Dice dice_;
  Task task_ = {};
  std::uint64_t nodes_ = 0;
};

}  // namespace

Task draw_check(const CatalogEntry& entry, Random& random) {
  return CheckDraw(entry, random).draw();
}

Task draw_recovery_check(const CatalogEntry& entry, Random& random) {
  return CheckDraw(entry, random).draw_recovery();
}

}  // namespace conch::explore
