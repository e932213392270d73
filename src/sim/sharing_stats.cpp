#include "sim/sharing_stats.hpp"

#include <algorithm>

namespace conch::sim {

void SharingMeter::waits(const Wish& waiter, const Wish& holder) {
  if (!waiter.conflicts(holder)) return;
  sharing_.readers_behind_writers += waiter.mode == Mode::read;
  sharing_.ranges_overlapped += waiter.range != holder.range;
}

void SharingMeter::requested(Node node, const Wish& wish, const Inside& inside) {
  waiting_[node] = wish;
  for (const auto& [other, holder] : inside) waits(wish, holder.wish);
}

void SharingMeter::entered(Node node, const Wish& wish, const Inside& inside) {
  gave_up(node);
  for (const auto& [other, waiter] : waiting_) waits(waiter, wish);
  ++(wish.mode == Mode::read ? sharing_.reads : sharing_.writes);
  sharing_.inside_max = std::max(sharing_.inside_max, inside.size() + 1);
  auto any = [&](auto&& holds) {
    return std::any_of(inside.begin(), inside.end(),
                       [&](const auto& each) { return holds(each.second.wish); });
  };
  sharing_.readers_together += any([&](const Wish& other) {
    return wish.mode == Mode::read && other.mode == Mode::read && wish.range.overlaps(other.range);
  });
  sharing_.ranges_together += any([&](const Wish& other) {
    bool one_writes = wish.mode == Mode::write || other.mode == Mode::write;
    return one_writes && !wish.range.overlaps(other.range);
  });
}

void SharingStats::add(const SharingStats& other) {
  reads += other.reads;
  writes += other.writes;
  inside_max = std::max(inside_max, other.inside_max);
  readers_together += other.readers_together;
  ranges_together += other.ranges_together;
  readers_behind_writers += other.readers_behind_writers;
  ranges_overlapped += other.ranges_overlapped;
}

Finding missed(const SharingStats& sharing, const Options& options) {
  constexpr Node nodes_enough = 4;
  constexpr std::uint64_t entries_enough = 100;
  if (options.nodes() < nodes_enough || sharing.reads + sharing.writes < entries_enough) return {};
  bool readers = options.readers > 0;
  bool writers = options.readers < 1;
  bool ranges = options.ranges > 1 && writers;
  if (readers && sharing.readers_together == 0) return "no two readers were ever inside together";
  if (readers && writers && sharing.readers_behind_writers == 0)
    return "no reader ever had to wait for a writer";
  if (ranges && sharing.ranges_together == 0)
    return "no two with disjoint ranges were ever inside together";
  if (ranges && sharing.ranges_overlapped == 0)
    return "no node ever had to wait for an overlapping range";
  return {};
}

}  // namespace conch::sim
