#include "sim/sometimes.hpp"

#include "catalog/classes.hpp"
#include "core/print.hpp"

namespace conch::sim {

namespace {

template <class Message>
std::vector<std::string> kinds_of() {
  return []<class... Ms>(std::type_identity<std::variant<Ms...>>) {
    return std::vector<std::string>{upper_case(Ms::type_name)...};
  }(std::type_identity<Message>{});
}

}  // namespace

std::vector<std::string> message_kinds(const CatalogEntry& entry) {
  auto kinds = []<class A>(std::type_identity<A>) { return kinds_of<typename A::Message>(); };
  if (entry.can.elects) return with_elector(entry, kinds);
  return entry.can.routed ? with_protocol(entry, kinds) : with_algorithm(entry, kinds);
}

void count_messages(const CatalogEntry& entry, const std::map<std::string, std::uint64_t>& by_type,
                    Sometimes& sometimes) {
  for (const std::string& kind : message_kinds(entry)) {
    auto found = by_type.find(kind);
    sometimes[kind + " is sent"] += found == by_type.end() ? 0 : found->second;
  }
}

Sometimes sometimes_of(const Options& options, const Result& result) {
  Sometimes sometimes;
  const CatalogEntry& entry = find_algorithm(options.algorithm);
  auto expect = [&](bool expected, const char* what, std::uint64_t count) {
    if (expected) sometimes[what] += count;
  };
  auto happens = [&](bool expected, Happening happening, const char* what) {
    expect(expected, what, result.happened[static_cast<std::size_t>(happening)]);
  };
  const Faults& faults = options.faults;
  expect(true, "a node waits when the lock is released", result.report.sync_delays);
  expect(true, "the lock is free when it is requested", result.report.client_delays);
  expect(entry.can.structured, "the structure is examined", result.structure_checks);
  happens(options.cancel > 0, Happening::withdrawn, "a request is withdrawn");
  happens(options.churn > 0, Happening::left, "a node leaves");
  happens(options.churn > 0, Happening::joined, "a node joins");
  happens(options.chatter > 0, Happening::told, "a process is told of a request");
  // What the link repairs does not happen to the algorithm.
  bool bare = !options.uses_link();
  happens(bare && (faults.lose > 0 || faults.drop), Happening::lose, "a message is lost");
  happens(bare && faults.duplicate > 0, Happening::duplicate, "a message is duplicated");
  happens(faults.storm.has_value(), Happening::pause, "a node is stopped");
  happens(faults.storm.has_value(), Happening::partition, "the network is partitioned");
  if (result.sharing) {
    expect(options.readers > 0, "two readers are inside together",
           result.sharing->readers_together);
    expect(options.readers > 0 && options.readers < 1, "a reader waits for a writer",
           result.sharing->readers_behind_writers);
    expect(options.ranges > 1, "two with disjoint ranges are inside together",
           result.sharing->ranges_together);
    expect(options.ranges > 1, "a node waits for an overlapping range",
           result.sharing->ranges_overlapped);
  }
  count_messages(entry, result.report.messages.by_type, sometimes);
  return sometimes;
}

void add(Sometimes& sum, const Sometimes& more) {
  for (const auto& [what, count] : more) sum[what] += count;
}

}  // namespace conch::sim
