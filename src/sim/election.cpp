#include "sim/election.hpp"

namespace conch::sim {

namespace {

constexpr std::uint64_t size_stream = 4;

}  // namespace

ElectionOptions for_seed(ElectionOptions options, std::uint64_t seed) {
  options.seed = seed;
  if (!options.drawn_nodes) return options;
  auto [first, last] = *options.drawn_nodes;
  Random random(seed, size_stream);
  options.nodes = first + static_cast<Node>(random.below(std::uint64_t{last} - first + 1));
  return options;
}

void validate(const ElectionOptions& options) {
  constexpr Node nodes_max = 1000;
  const CatalogEntry& entry = find_any(options.algorithm);
  std::string name(entry.about.name);
  if (!entry.can.elects) throw BadText(name + " is not an election");
  if (options.nodes > nodes_max)
    throw BadText("--nodes: an election has up to " + std::to_string(nodes_max) + " processes");
  bool crashes = options.crashes.value_or(0) > 0 || !options.scheduled_crashes.empty();
  if (crashes && !entry.can.restarts)
    throw BadText(name + " assumes that no process crashes; bully and bully-polite survive it");
  for (const Crash& crash : options.scheduled_crashes)
    if (crash.who.role == Who::Role::number && crash.who.node >= options.nodes)
      throw BadText("there is no node " + std::to_string(crash.who.node) + ": the nodes are 0 to " +
                    std::to_string(options.nodes - 1));
  bool timed = options.answer_timeout || options.coordinator_timeout || options.detect;
  if (timed && !entry.can.timed)
    throw BadText(name + " has no timeouts: leave out --answer-timeout, --coordinator-timeout " +
                  "and --detect");
  bool told = options.answer_timeout && options.coordinator_timeout && options.detect;
  if (entry.can.timed && !told && !options.latency.bound())
    throw BadText(name + " assumes a bound on the time of a message, and " +
                  options.latency.print() + " has none: take uniform:LOW..HIGH, or say " +
                  "--answer-timeout, --coordinator-timeout and --detect");
  if (options.channel == ChannelOrder::any && entry.about.needs_fifo)
    throw BadText(name + " needs FIFO channels: use --channel fifo");
}

void ElectionSights::add(const ElectionSights& other) {
  overlapped += other.overlapped;
  crashed_amid += other.crashed_amid;
  died_announcing += other.died_announcing;
  took_over += other.took_over;
  stood_back += other.stood_back;
  replaced += other.replaced;
}

std::vector<SightCount> sights_of(const ElectionSights& sights, const ElectionOptions& options) {
  const CatalogEntry& entry = find_any(options.algorithm);
  bool polite = promise_of(entry) == Promise::one;
  bool crashes = entry.can.restarts && options.crashes.value_or(ElectionOptions::crashes_usual) > 0;
  bool restarts = crashes && options.restarts > 0;
  std::vector<SightCount> list;
  auto add = [&](bool expected, std::string_view what, std::uint64_t count) {
    if (expected) list.push_back({what, count});
  };
  add(options.starts > 1, "two elections at once", sights.overlapped);
  add(crashes, "a participant crashed", sights.crashed_amid);
  add(crashes, "a coordinator crashed while it was announced", sights.died_announcing);
  add(restarts && !polite, "a restarted process took over", sights.took_over);
  add(restarts && polite, "a restarted process stood back", sights.stood_back);
  add(options.retires > 0, "a coordinator retired and was replaced", sights.replaced);
  return list;
}

Finding missed(const ElectionSights& sights, const ElectionOptions& options, std::uint64_t runs) {
  constexpr std::uint64_t runs_enough = 200;
  Node nodes = options.drawn_nodes ? options.drawn_nodes->first : options.nodes;
  if (runs < runs_enough || nodes < 3) return {};
  for (const SightCount& sight : sights_of(sights, options))
    if (sight.count == 0)
      return "in " + std::to_string(runs) + " runs never seen: " + std::string(sight.what);
  return {};
}

}  // namespace conch::sim
