#include "explore/dice.hpp"
#include "explore/draw.hpp"

namespace conch::explore {

namespace {

/// Draws the options of `conch sim` for one algorithm, group by group.
class SimulationDraw {
 public:
  SimulationDraw(const CatalogEntry& entry, Random& random) : entry_(entry), dice_(random) {
    task_.words = {"sim", std::string(entry.about.name)};
    task_.machine_words = {"--json", "--threads", "1"};
  }

  Task draw() {
    draw_nodes();
    draw_tuning();
    draw_workload();
    draw_latencies();
    draw_network_faults();
    draw_node_faults();
    draw_channel();
    return std::move(task_);
  }

 private:
  void draw_nodes() {
    clustered_ = dice_.chance(entry_.about.minds_clusters ? 0.8 : 0.15);
    clustered_ ? draw_clusters() : draw_one_cluster();
    bool large = nodes_ > 12;
    task_.set({"--requests", dice_.text(1, large ? 4 : 12), Smaller::lower});
  }

  void draw_one_cluster() {
    nodes_ = nodes_min_ = dice_.number(2, dice_.chance(0.15) ? 40 : 9);
    if (is_maekawa() && dice_.chance(0.3)) return draw_plane();
    std::string value = std::to_string(nodes_);
    if (dice_.chance(0.3)) {
      nodes_min_ = 2;
      value = "2.." + value;
    }
    task_.set({"--nodes", value, Smaller::lower, 2});
  }

  /// Draws the nodes of a projective plane, which exists only for a few numbers.
  void draw_plane() {
    std::string value = dice_.one_of({"7", "13", "31"});
    nodes_ = nodes_min_ = std::stoull(value);
    task_.set({"--nodes", value, Smaller::never});
    task_.set({"--voting", "plane"});
  }

  void draw_clusters() {
    std::uint64_t clusters = dice_.number(1, 5);
    std::string sizes;
    for (std::uint64_t i = 0; i < clusters; ++i) {
      std::uint64_t size = dice_.number(1, 4);
      nodes_ += size;
      sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    }
    nodes_min_ = nodes_;
    task_.set({"--clusters", sizes, Smaller::list});
    if (clusters < 2 || dice_.chance(0.6)) return;
    std::uint64_t first = dice_.number(1, clusters - 1);
    task_.set({"--sites", std::to_string(first) + "," + std::to_string(clusters - first)});
  }

  void draw_tuning() {
    if (is_maekawa() && !task_.find("--voting") && dice_.chance(0.3))
      task_.set({"--voting", "grid"});
    if (entry_.about.has_eps && dice_.chance(0.8)) task_.set({"--eps", dice_.text(0, 6)});
    if (entry_.algorithm != "elmp") return;
    if (dice_.chance(0.5)) task_.set({"--order", dice_.text(2, 8)});
    if (!entry_.preset.balance && dice_.chance(0.4)) task_.set({"--balance", "lazy"});
  }

  void draw_workload() {
    if (dice_.chance(0.6))
      task_.set({"--think", dice_.one_of({"0ms", "1ms", "exp:2ms", "exp:30ms", "exp:200ms"})});
    if (dice_.chance(0.5))
      task_.set({"--hold", dice_.one_of({"0ms", "exp:1ms", "exp:10ms", "uniform:0ms..40ms"})});
    if (dice_.chance(0.5)) task_.set({"--cancel", dice_.share()});
    if (entry_.can.dynamic && dice_.chance(0.5)) task_.set({"--churn", dice_.share()});
    if (dice_.chance(entry_.can.causal ? 0.5 : 0.1)) task_.set({"--chatter", dice_.share()});
    if (!entry_.can.shared) return;
    if (dice_.chance(0.5)) task_.set({"--readers", dice_.share()});
    if (dice_.chance(0.4)) task_.set({"--ranges", dice_.text(2, 9)});
  }

  std::string latency() {
    std::string drawn =
        dice_.one_of({"0ms", "1ms", "exp:2ms", "uniform:0ms..3ms", "normal:5ms,3ms", "exp:20ms"});
    return drawn == "0ms" && entry_.about.restless ? "1ms" : drawn;
  }
  void draw_latencies() {
    if (!clustered_) {
      if (dice_.chance(0.7)) task_.set({"--latency", latency()});
      return;
    }
    task_.set({"--local-latency", latency()});
    if (task_.find("--clusters")->value.find(',') != std::string::npos)
      task_.set({"--remote-latency", dice_.one_of({"10ms", "exp:20ms", "uniform:0ms..100ms"})});
    if (task_.find("--sites")) task_.set({"--site-latency", latency()});
  }

  /// The reliable link hides these faults from the algorithm.
  void draw_network_faults() {
    if (dice_.chance(0.5)) return;
    if (dice_.chance(0.5)) fail({"--lose", dice_.one_of({"1%", "10%", "30%"})});
    if (dice_.chance(0.4)) fail({"--duplicate", dice_.one_of({"1%", "10%", "30%"})});
    if (dice_.chance(0.2)) fail({"--storm", dice_.milliseconds(20, 1000)});
    if (dice_.chance(0.2)) fail({"--partition", nodes() + when()});
    if (dice_.chance(0.2)) fail({"--partition-one-way", nodes() + when()});
    if (dice_.chance(0.2)) fail({"--link", "always"});
  }
  void fail(const Option& option) {
    task_.set(option);
    linked_ = true;
  }
  std::string nodes() {
    std::string first = dice_.text(0, nodes_min_ - 1);
    std::string second = dice_.text(0, nodes_min_ - 1);
    return first == second || dice_.chance(0.5) ? first : first + "," + second;
  }
  std::string when() { return "@" + dice_.milliseconds(0, 100) + "+" + dice_.milliseconds(1, 300); }

  /// Only an algorithm that uses a failure detector survives crashes.
  void draw_node_faults() {
    if (dice_.chance(0.2)) task_.set({"--clog", dice_.one_of({"1%:50ms", "10%:20ms"})});
    if (dice_.chance(0.2)) task_.set({"--drift", dice_.one_of({"1%", "5%", "30%"})});
    for (int pauses = 0; pauses < 2; ++pauses)
      if (dice_.chance(0.15))
        task_.set({"--pause", dice_.one_of({"holder", "waiter", "idle", "home"}) + when()});
    if (!entry_.can.suspecting || linked_ || dice_.chance(0.6)) return;
    // Longer than any message takes, so that all messages of the crashed node have arrived.
    task_.set({"--detect", "1s", Smaller::never});
    std::string who = dice_.one_of({"holder", "waiter", "idle"});
    task_.set({"--crash", who + "@" + dice_.milliseconds(0, 100)});
  }

  void draw_channel() {
    bool leaves = task_.find("--churn") && entry_.about.leave_needs_fifo;
    bool may_overtake = linked_ || !(entry_.about.needs_fifo || leaves);
    if (may_overtake && dice_.chance(0.6)) task_.set({"--channel", "any"});
  }

  bool is_maekawa() const { return entry_.algorithm.starts_with("maekawa"); }

  const CatalogEntry& entry_;
  Dice dice_;
  Task task_ = {};
  bool clustered_ = false;
  bool linked_ = false;
  std::uint64_t nodes_ = 0;
  /// The least number of nodes that a run has.
  std::uint64_t nodes_min_ = 0;
};

}  // namespace

Task draw_simulation(const CatalogEntry& entry, Random& random) {
  return SimulationDraw(entry, random).draw();
}

}  // namespace conch::explore
