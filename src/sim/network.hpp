// How long a message takes, and whether it arrives.
#pragma once

#include <map>
#include <vector>

#include "core/random.hpp"
#include "sim/options.hpp"

namespace conch::sim {

/// When the copies of one message arrive: none if it was lost, two if it was duplicated.
struct Arrivals {
  int copies = 0;
  Time at[2];
};

class NetworkModel {
 public:
  explicit NetworkModel(const Options& options);

  Arrivals carry(Node from, Node to, std::uint32_t bytes, Time now) {
    if (is_plain_) return {1, {now + latency(from, to).draw(random_), {}}};
    return carry_with_care(from, to, bytes, now);
  }
  /// Whether it may duplicate messages.
  bool duplicates() const { return faults_.duplicate > 0; }
  std::uint32_t cluster_of(Node node) const { return cluster_of_[node]; }
  const std::vector<std::uint32_t>& clusters() const { return cluster_of_; }
  /// The site of each node; empty if there are no sites.
  const std::vector<std::uint32_t>& sites() const { return site_of_; }

  /// Partitions may overlap; each is healed by its number.
  void part(std::size_t number, const Partition& partition);
  void heal(std::size_t number) {
    partitions_.erase(number);
    is_plain_ = plain();
  }
  /// Ends all faults.
  void calm() {
    faults_ = Faults{};
    partitions_.clear();
    is_plain_ = plain();
  }

 private:
  Arrivals carry_with_care(Node from, Node to, std::uint32_t bytes, Time now);
  const Distribution& latency(Node from, Node to) const {
    if (!latencies_.empty()) return latencies_[cluster_of_[from]][cluster_of_[to]];
    if (cluster_of_[from] == cluster_of_[to]) return local_;
    return !site_of_.empty() && site_of_[from] == site_of_[to] ? site_ : remote_;
  }
  bool plain() const;
  bool parted(Node from, Node to) const;
  Time arrival(Node from, Node to, Time departure);

  Random random_;
  Distribution local_;
  Distribution remote_;
  Distribution site_;
  std::vector<std::vector<Distribution>> latencies_;
  bool keeps_order_;
  std::optional<double> bytes_per_s_;
  Faults faults_;
  /// Nothing but its latency befalls a message.
  bool is_plain_ = false;
  std::uint64_t carried_ = 0;
  std::vector<std::uint32_t> cluster_of_;
  std::vector<std::uint32_t> site_of_;
  std::map<std::size_t, std::pair<std::vector<bool>, bool>> partitions_;
  /// By sender: when its line is free. By channel: when its last message arrives.
  std::vector<Time> line_free_;
  std::map<std::uint64_t, Time> last_arrival_;
};

}  // namespace conch::sim
