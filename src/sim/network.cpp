#include "sim/network.hpp"

#include <algorithm>

namespace conch::sim {

namespace {
constexpr std::uint64_t network_stream = 1;
}

NetworkModel::NetworkModel(const Options& options)
    : random_(options.seed, network_stream),
      local_(options.local_latency),
      remote_(options.remote_latency),
      site_(options.site_latency.value_or(options.remote_latency)),
      latencies_(options.latencies),
      // Constant delays keep the order by themselves.
      keeps_order_(options.channel == ChannelOrder::fifo &&
                   !(local_.is_constant() && remote_.is_constant() && site_.is_constant() &&
                     latencies_.empty() && options.faults.clog.chance == 0)),
      bytes_per_s_(options.bytes_per_s),
      faults_(options.faults) {
  for (std::uint32_t cluster = 0; cluster < options.clusters.size(); ++cluster)
    cluster_of_.insert(cluster_of_.end(), options.clusters[cluster], cluster);
  auto size = options.clusters.begin();
  for (std::uint32_t site = 0; site < options.sites.size(); ++site)
    for (Node left = options.sites[site]; left > 0; --left)
      site_of_.insert(site_of_.end(), *size++, site);
  if (bytes_per_s_) line_free_.resize(cluster_of_.size());
  is_plain_ = plain();
}

bool NetworkModel::plain() const {
  return !keeps_order_ && !bytes_per_s_ && partitions_.empty() && !faults_.drop &&
         faults_.lose == 0 && faults_.duplicate == 0 && faults_.clog.chance == 0;
}

void NetworkModel::part(std::size_t number, const Partition& partition) {
  std::vector<bool> side(cluster_of_.size());
  for (Node node : partition.nodes) side[node] = true;
  partitions_[number] = {std::move(side), partition.one_way};
  is_plain_ = false;
}

bool NetworkModel::parted(Node from, Node to) const {
  return std::any_of(partitions_.begin(), partitions_.end(), [&](const auto& entry) {
    const auto& [side, one_way] = entry.second;
    return side[from] != side[to] && (side[from] || !one_way);
  });
}

Arrivals NetworkModel::carry_with_care(Node from, Node to, std::uint32_t bytes, Time now) {
  if (++carried_ == faults_.drop || parted(from, to) || random_.chance(faults_.lose)) return {};
  Time departure = now;
  if (bytes_per_s_) {
    Duration length(static_cast<std::int64_t>(1e9 * bytes / *bytes_per_s_));
    departure = std::max(now, line_free_[from]) + length;
    line_free_[from] = departure;
  }
  Arrivals arrivals;
  arrivals.at[arrivals.copies++] = arrival(from, to, departure);
  if (random_.chance(faults_.duplicate))
    arrivals.at[arrivals.copies++] = arrival(from, to, departure);
  return arrivals;
}

Time NetworkModel::arrival(Node from, Node to, Time departure) {
  Time at = departure + latency(from, to).draw(random_);
  if (random_.chance(faults_.clog.chance)) at += faults_.clog.delay;
  if (!keeps_order_) return at;
  Time& last = last_arrival_[(std::uint64_t{from} << 32) | to];
  return last = std::max(last, at);
}

}  // namespace conch::sim
