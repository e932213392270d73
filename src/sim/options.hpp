// What to simulate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract.hpp"
#include "sim/distribution.hpp"
#include "sim/faults.hpp"

namespace conch::sim {

enum class ChannelOrder : std::uint8_t {
  fifo,
  any,  // messages between two nodes overtake one another
};

/// Whether the reliable link stands between the algorithm and the network.
enum class LinkUse : std::uint8_t {
  automatic,  // where the network loses, repeats or parts
  always,
  never,
};

/// How many nodes: each run draws its own number from its seed.
struct NodeRange {
  Node first = 0;
  Node last = 0;
};

struct Options {
  std::string algorithm = "naimi-trehel";
  Tuning tuning;
  /// The sizes of the clusters; nodes are numbered through them in order.
  std::vector<Node> clusters = {10};
  /// How many of the clusters each site has, in order; empty if there are no sites.
  std::vector<Node> sites;
  /// The clusters that the algorithms are told of, if not the true ones.
  std::optional<Clusters> told;
  /// If given, one cluster of a drawn size instead: see `for_seed`.
  std::optional<NodeRange> drawn_nodes;
  /// Requests per node.
  std::uint64_t requests = 20;
  /// How many of them in a row, without thinking in between.
  std::uint64_t burst = 1;
  /// Only these nodes ask; all nodes if empty.
  std::vector<Node> askers = {};
  std::uint64_t seed = 1;

  Distribution hold = Distribution::constant(std::chrono::milliseconds(5));
  Distribution think = Distribution::exponential(std::chrono::milliseconds(10));
  Distribution local_latency =
      Distribution::uniform(std::chrono::microseconds(500), std::chrono::microseconds(1500));
  Distribution remote_latency = local_latency;
  /// Between clusters of one site; the remote latency if not given.
  std::optional<Distribution> site_latency;
  /// If given, replaces all these: between each two clusters and within each, by sender, then
  /// receiver.
  std::vector<std::vector<Distribution>> latencies;
  /// The bandwidth of a node's outgoing line.
  std::optional<double> bytes_per_s;
  ChannelOrder channel = ChannelOrder::fifo;
  LinkUse linked = LinkUse::automatic;

  /// The share of the requests that only read.
  double readers = 0;
  /// How many blocks of equal size the data have. Each request is for a run of them, mostly a short
  /// one.
  std::uint32_t ranges = 1;
  /// The chance that a request is cancelled while it waits.
  double cancel = 0;
  /// The share of the nodes that run the out-of-order cycle: ask, drop it and ask again, give up,
  /// leave, join again.
  double churn = 0;
  /// The chance that a process that has asked tells another one, which then asks too.
  double chatter = 0;
  Faults faults;

  /// ME3 is watched up to this many nodes: vector clocks cost N per message.
  Node order_checked_up_to = 256;
  /// The structure is examined whenever nothing is in flight up to this many nodes, and at the end
  /// in any group.
  Node structure_checked_up_to = 256;
  /// Whether visits to a cluster are held to their bound, which assumes realistic latencies.
  bool visits_checked = false;

  Node nodes() const {
    Node sum = 0;
    for (Node size : clusters) sum += size;
    return sum;
  }
  /// No clusters if there is only one.
  Clusters labels() const {
    if (told) return *told;
    return clusters.size() < 2 ? Clusters() : Clusters::sized(clusters, sites);
  }
  /// The largest mean latency.
  Duration latency_max() const;
  bool sizes_differ() const { return drawn_nodes && drawn_nodes->first < drawn_nodes->last; }
  bool shares() const { return readers > 0 || ranges > 1; }
  bool uses_link() const {
    return linked == LinkUse::always ||
           (linked == LinkUse::automatic && faults.network_is_faulty());
  }
};

/// The options of the run with this seed.
Options for_seed(Options options, std::uint64_t seed);

/// `10` or `2..100`.
NodeRange parse_nodes(std::string_view text);

/// `10`, `3x3` or `4,2,3`.
std::vector<Node> parse_clusters(std::string_view text);

/// Throws BadText with a sentence if there are sites and they do not have all the clusters.
inline void validate_sites(const std::vector<Node>& clusters, const std::vector<Node>& sites) {
  std::uint64_t in_sites = 0;
  for (Node site : sites) in_sites += site;
  if (!sites.empty() && in_sites != clusters.size())
    throw BadText("--sites: there are " + std::to_string(clusters.size()) +
                  " clusters, and the sites have " + std::to_string(in_sites));
}

/// Throws BadText with a sentence if the options cannot be combined.
void validate(const Options& options);

}  // namespace conch::sim
