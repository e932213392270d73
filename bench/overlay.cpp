// Measures routed hops per second through rings that were built at once, the lengths of routes, and
// the memory of an idle node.
//
//   bench_overlay             prints the table
//   bench_overlay NODES...    for rings of these sizes
//
// A hop chooses the next node and finds its value by identifier. Rates are by processor time.
// Without sizes, a million nodes then use 10 000 locks: End-to-End over Pastry, 20 rounds of 3000
// requests (sim/overlay_scale.hpp).
#include <fmt/core.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <unordered_map>
#include <vector>

#include "core/testing/dice.hpp"
#include "overlay/chord.hpp"
#include "overlay/pastry.hpp"
#include "sim/overlay_scale.hpp"

namespace {

using namespace conch;
using namespace conch::overlay;

constexpr std::size_t routes = 1'000'000;

double processor_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Figures {
  double build_s = 0;
  std::size_t bytes_per_node = 0;
  double hops_per_s = 0;
  double mean_hops = 0;
  /// 99.9 % of the routes have at most this many hops.
  unsigned most_hops = 0;
};

template <class O>
Figures measure(std::size_t size) {
  Dice random(size);
  std::vector<NodeId> nodes(size);
  for (NodeId& node : nodes) node = NodeId{random.number()};
  std::sort(nodes.begin(), nodes.end());

  Figures figures;
  std::size_t bytes_before = mallinfo2().uordblks + mallinfo2().hblkhd;
  double begin = processor_s();
  std::vector<O> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) values.emplace_back(nodes, i);
  figures.build_s = processor_s() - begin;
  figures.bytes_per_node = (mallinfo2().uordblks + mallinfo2().hblkhd - bytes_before) / size;

  std::unordered_map<std::uint64_t, const O*> by_id;
  for (std::size_t i = 0; i < size; ++i) by_id[nodes[i].value] = &values[i];
  std::vector<std::size_t> count(hops_max + 1);
  begin = processor_s();
  for (std::size_t i = 0; i < routes; ++i) {
    Key key{random.number()};
    const O* at = &values[random.below(size)];
    unsigned hops = 0;
    for (std::optional<NodeId> next; (next = at->next_hop(key)) && hops < hops_max; ++hops)
      at = by_id.find(next->value)->second;
    ++count[hops];
  }
  double took_s = processor_s() - begin;

  double hops = 0;
  std::size_t shorter = 0;
  for (unsigned i = 0; i <= hops_max; ++i) {
    hops += static_cast<double>(i) * static_cast<double>(count[i]);
    if (shorter < routes - routes / 1000) figures.most_hops = i;
    shorter += count[i];
  }
  figures.mean_hops = hops / static_cast<double>(routes);
  figures.hops_per_s = hops / took_s;
  return figures;
}

template <class O>
void report(std::string_view name, std::size_t size) {
  Figures f = measure<O>(size);
  fmt::print("{:<8}{:>9}{:>11.2f}{:>9}{:>14.2f}{:>11.2f}{:>9}\n", name, size, f.build_s,
             f.bytes_per_node, f.hops_per_s / 1e6, f.mean_hops, f.most_hops);
}

void report_overlay_scale() {
  sim::OverlayScaleOptions options;
  options.nodes = 1'000'000;
  options.locks = 10'000;
  options.requests = 3000;
  malloc_trim(0);
  double begin = processor_s();
  sim::OverlayScaleResult result = sim::run_overlay_scale(options);
  double took_s = processor_s() - begin;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("\nend-to-end, pastry, {} nodes, {} locks, {} rounds of {} requests: {} messages,\n",
             options.nodes, options.locks, options.rounds, options.requests, result.messages);
  fmt::print("{} of {} granted, {:.1f} s (aim: 120), {} MiB at most (aim: 4096)\n", result.granted,
             result.asked, took_s, usage.ru_maxrss / 1024);
  if (result.violation) fmt::print("violation: {}\n", result.violation->what);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  bool all = sizes.empty();
  if (all) sizes = {100, 1000, 6500, 100'000, 1'000'000};
  if (*std::min_element(sizes.begin(), sizes.end()) == 0) {
    fmt::print(stderr, "bench_overlay: give the numbers of nodes, each at least 1\n");
    return 1;
  }
  fmt::print("{:<8}{:>9}{:>11}{:>9}{:>14}{:>11}{:>9}\n", "overlay", "nodes", "built in s", "B/node",
             "M hops/s", "mean hops", "99.9 %");
  for (std::size_t size : sizes) report<Pastry>("pastry", size);
  for (std::size_t size : sizes) report<Chord>("chord", size);
  if (all) report_overlay_scale();
}
