// What a run cost, and how long its requests waited.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

struct Summary {
  double mean = 0;
  double std = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
  double min = 0;
};
Summary summarize(std::vector<double> values);

/// Jain's index: 1 when all are equal, 1/n when one has everything.
double jain_index(const std::vector<double>& shares);

struct Traffic {
  std::uint64_t total = 0;
  std::uint64_t local = 0;
  std::uint64_t global = 0;
  std::uint64_t bytes = 0;
  /// Messages of a restless algorithm while no node waited or was inside.
  std::uint64_t idle = 0;
  std::map<std::string, std::uint64_t> by_type;
};

struct MetricsReport {
  std::uint64_t requests = 0;
  std::uint64_t entries = 0;
  std::uint64_t withdrawn = 0;
  Traffic messages;
  /// Application messages; not among the above.
  std::uint64_t application_messages = 0;
  double messages_per_entry = 0;
  /// The same without the idle messages.
  double busy_messages_per_entry = 0;
  /// From request to entry.
  Summary wait_s;
  /// The mean wait of entries after one from the same cluster, and after one from another.
  double wait_local_s = 0;
  double wait_remote_s = 0;
  /// From request to entry on an idle system, and how often that was seen.
  double client_delay_s = 0;
  std::uint64_t client_delays = 0;
  /// From an exit to the next entry while a node waits.
  double sync_delay_s = 0;
  std::uint64_t sync_delays = 0;
  double throughput_per_s = 0;
  /// Jain's index of the nodes' mean waiting times.
  double fairness = 1;
  /// Messages sent and received by a node.
  double load_mean = 0;
  std::uint64_t load_max = 0;
  double duration_s = 0;
};

class Metrics {
 public:
  Metrics(std::vector<std::uint32_t> cluster_of, std::vector<std::string> kinds, bool restless);

  void sent(const Posted& message) {
    bool local = cluster_of_[message.from] == cluster_of_[message.to];
    ++(local ? traffic_.local : traffic_.global);
    traffic_.bytes += message.bytes;
    traffic_.idle += restless_ && quiet();
    ++by_kind_[message.kind];
    ++load_[message.from];
  }
  void received(Node node) { ++load_[node]; }
  void told() { ++application_messages_; }
  void requested(Node node, Time now);
  void entered(Node node, Time now);
  void exited(Node node, Time now);
  /// A request that was withdrawn, or whose process crashed while it waited.
  void gave_up(Node node);
  void crashed(Node node);

  std::uint64_t waiting() const { return waiting_; }
  MetricsReport report(Time end) const;

 private:
  struct Mean {
    double sum = 0;
    std::uint64_t count = 0;
    void add(double value) { sum += value, ++count; }
    double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  };
  bool quiet() const { return waiting_ == 0 && inside_ == 0; }

  std::vector<std::uint32_t> cluster_of_;
  std::vector<std::string> kinds_;
  bool restless_;

  Traffic traffic_;
  std::vector<std::uint64_t> by_kind_;
  std::vector<std::uint64_t> load_;
  std::uint64_t application_messages_ = 0;

  std::uint64_t requests_ = 0;
  std::uint64_t withdrawn_ = 0;
  std::uint64_t waiting_ = 0;
  std::uint64_t inside_ = 0;
  std::vector<std::optional<Time>> asked_;
  std::vector<bool> is_inside_;
  std::vector<double> waits_s_;
  std::vector<Mean> wait_of_;
  std::optional<Node> entered_last_;
  Mean wait_local_;
  Mean wait_remote_;
  std::optional<Node> asked_when_quiet_;
  std::optional<Time> left_to_waiters_;
  Mean client_delay_;
  Mean sync_delay_;
};

}  // namespace conch::sim
