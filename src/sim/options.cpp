#include "sim/options.hpp"

#include <charconv>

#include "catalog/catalog.hpp"
#include "mutex/voting_sets.hpp"

namespace conch::sim {

namespace {

constexpr Node nodes_max = 10'000'000;

Node parse_count(std::string_view digits, std::string_view text) {
  Node count = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  bool whole = error == std::errc{} && end == digits.data() + digits.size();
  if (!whole || count == 0 || count > nodes_max)
    throw BadText("\"" + std::string(text) +
                  "\" is not a layout of clusters such as 3x3 (three of three) or 4,2,3");
  return count;
}

void validate_who(const Who& who, const Options& options) {
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
      throw BadText(name + " takes no word of a failure detector, so nobody can be suspected; " +
                    "central does");
  }
  if (options.faults.detect_after && !entry.can.suspecting)
    throw BadText(name + " takes no word of a failure detector: leave out --detect");
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

void validate(const Options& options) {
  const CatalogEntry& entry = find_algorithm(options.algorithm);
  const About& about = entry.about;
  std::string name(about.name);
  if (options.requests == 0) throw BadText("--requests must be at least 1");
  if (about.needs_fifo && options.channel == Channel::any && !options.uses_link())
    throw BadText(name + " needs FIFO channels: use --channel fifo, or --link always, which " +
                  "puts messages back in order");
  if (options.churn > 0 && !entry.can.dynamic)
    throw BadText(name + " has fixed members; naimi-trehel lets them come and go");
  if (options.churn > 0 && options.channel == Channel::any && !options.uses_link())
    throw BadText("leaving needs FIFO channels, or something could reach a node that is gone: " +
                  std::string("use --channel fifo or --link always"));
  if (options.ranges == 0) throw BadText("--ranges must be at least 1");
  if (options.shares() && !entry.can.shared)
    throw BadText(name + " lets only one process in, whatever it wants: leave out --readers and " +
                  "--ranges; central knows both");
  if (name.starts_with("maekawa")) {
    try {
      voting_set(Members::first(options.nodes()), NodeId{0}, options.tuning.voting);
    } catch (const std::invalid_argument& error) {
      throw BadText(error.what());
    }
  }
  validate_faults(options, entry);
}

}  // namespace conch::sim
