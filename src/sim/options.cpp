#include "sim/options.hpp"

#include <algorithm>
#include <charconv>

#include "catalog/catalog.hpp"
#include "core/random.hpp"
#include "mutex/voting_sets.hpp"

namespace conch::sim {

namespace {

constexpr Node nodes_max = 10'000'000;
constexpr std::uint64_t size_stream = 4;

/// Zero if this is not a valid count.
Node read_count(std::string_view digits) {
  Node count = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  bool whole = error == std::errc{} && end == digits.data() + digits.size();
  return whole && count <= nodes_max ? count : 0;
}

Node parse_count(std::string_view digits, std::string_view text) {
  Node count = read_count(digits);
  if (count == 0)
    throw BadText("\"" + std::string(text) +
                  "\" is not a layout of clusters such as 3x3 (three of three) or 4,2,3");
  return count;
}

void validate_who(const Who& who, const Options& options) {
  if (who.role == Who::Role::coordinator)
    throw BadText(options.algorithm + " has no coordinator; elections do");
  if (who.role == Who::Role::number && who.node >= options.nodes())
    throw BadText("there is no node " + std::to_string(who.node) + ": the nodes are 0 to " +
                  std::to_string(options.nodes() - 1));
}

void validate_partition(const Partition& partition, const Options& options) {
  for (Node node : partition.nodes) validate_who(Who{Who::Role::number, node}, options);
}

void validate_faults(const Options& options, const CatalogEntry& entry) {
  std::string name(entry.about.name);
  for (const ScheduledFault& fault : options.faults.scheduled) {
    if (const auto* partition = std::get_if<Partition>(&fault)) {
      validate_partition(*partition, options);
    } else {
      std::visit(
          [&](const auto& each) {
            if constexpr (requires { each.who; }) validate_who(each.who, options);
          },
          fault);
    }
    if (std::holds_alternative<FalseSuspicion>(fault) && !entry.can.suspecting)
      throw BadText(name + " does not use a failure detector, so it has no suspicions; " +
                    "central does");
  }
  if (options.faults.detect_after && !entry.can.suspecting)
    throw BadText(name + " does not use a failure detector: leave out --detect");
}

}  // namespace

std::vector<Node> parse_clusters(std::string_view text) {
  if (auto times = text.find('x'); times != std::string_view::npos) {
    Node count = parse_count(text.substr(0, times), text);
    Node size = parse_count(text.substr(times + 1), text);
    if (std::uint64_t{count} * size > nodes_max) parse_count("0", text);
    return std::vector<Node>(count, size);
  }
  std::vector<Node> sizes;
  for (std::string_view rest = text;;) {
    auto comma = rest.find(',');
    sizes.push_back(parse_count(rest.substr(0, comma), text));
    if (comma == std::string_view::npos) return sizes;
    rest = rest.substr(comma + 1);
  }
}

NodeRange parse_nodes(std::string_view text) {
  auto dots = text.find("..");
  NodeRange range;
  range.first = read_count(text.substr(0, dots));
  range.last = dots == std::string_view::npos ? range.first : read_count(text.substr(dots + 2));
  if (range.first == 0 || range.last < range.first)
    throw BadText("\"" + std::string(text) + "\" is neither a number of nodes such as 10, up to " +
                  std::to_string(nodes_max) + ", nor a range such as 2..100");
  return range;
}

Duration Options::latency_max() const {
  Duration slowest = {};
  for (const auto& from : latencies)
    for (const Distribution& latency : from) slowest = std::max(slowest, latency.mean());
  return latencies.empty() ? std::max(local_latency.mean(), remote_latency.mean()) : slowest;
}

Options for_seed(Options options, std::uint64_t seed) {
  options.seed = seed;
  if (!options.drawn_nodes) return options;
  auto [first, last] = *options.drawn_nodes;
  Random random(seed, size_stream);
  options.clusters = {first + static_cast<Node>(random.below(std::uint64_t{last} - first + 1))};
  return options;
}

void validate(const Options& options) {
  const CatalogEntry& entry = find_algorithm(options.algorithm);
  const About& about = entry.about;
  std::string name(about.name);
  if (options.requests == 0) throw BadText("--requests must be at least 1");
  CONCH_EXPECT(options.burst > 0, "a burst has at least one request");
  if (about.needs_fifo && options.channel == ChannelOrder::any && !options.uses_link())
    throw BadText(name + " needs FIFO channels: use --channel fifo, or --link always, which " +
                  "puts messages back in order");
  if (options.churn > 0 && !entry.can.dynamic)
    throw BadText(name + " has fixed members; naimi-trehel and elmp let them come and go");
  bool overtaking = options.channel == ChannelOrder::any && !options.uses_link();
  if (options.churn > 0 && overtaking && about.leave_needs_fifo)
    throw BadText("leaving " + name + " needs FIFO channels, or something could reach a node " +
                  "that is gone: use --channel fifo or --link always");
  if (options.ranges == 0) throw BadText("--ranges must be at least 1");
  Duration latency =
      options.clusters.size() > 1 ? options.latency_max() : options.local_latency.mean();
  if (about.restless && latency == Duration::zero())
    throw BadText("--latency: the token of " + name +
                  " never rests, and would go round endlessly in no time; make it more than 0");
  if (options.shares() && !entry.can.shared)
    throw BadText(name + " admits one process at a time: leave out --readers and " +
                  "--ranges; central and elmp know both");
  if (entry.algorithm.starts_with("maekawa")) {
    try {
      voting_set(Members::first(options.nodes()), NodeId{0}, entry.tuned(options.tuning).voting);
    } catch (const std::invalid_argument& error) {
      throw BadText(error.what());
    }
  }
  if (options.tuning.order < 2 || options.tuning.order > 8)
    throw BadText("--order: a tree's nodes have at most 2 to 8 children, not " +
                  std::to_string(options.tuning.order));
  if (options.sites.empty() && options.site_latency)
    throw BadText("--site-latency: there are no --sites");
  validate_sites(options.clusters, options.sites);
  for (const auto& from : options.latencies)
    CONCH_EXPECT(options.latencies.size() == options.clusters.size() &&
                     from.size() == options.clusters.size(),
                 "there is a latency for each two clusters");
  validate_faults(options, entry);
}

}  // namespace conch::sim
