#include "check/check.hpp"

#include "check/algorithm_system.hpp"
#include "check/cycle_search.hpp"
#include "check/search.hpp"
#include "core/print.hpp"
#include "mutex/voting_sets.hpp"
#include "overlay/fixed_ring.hpp"
#include "sim/distribution.hpp"
#include "sim/options.hpp"

namespace conch::check {

std::string_view word(Sometimes sometimes) {
  switch (sometimes) {
    case Sometimes::two_wait: return "two requests pending at once";
    case Sometimes::waits_while_inside: return "a process waits while another is inside";
    case Sometimes::readers_together: return "two readers are inside together";
    case Sometimes::token_and_request_in_flight: return "a token in flight beside another message";
    case Sometimes::cancel_meets_message: return "a cancel while a message is in flight";
    case Sometimes::withdrawn: return "a request withdrawn";
    case Sometimes::joined: return "a newcomer joined";
    case Sometimes::left: return "a member left";
    case Sometimes::examined: return "the structure examined, somebody waiting";
    case Sometimes::fault: return "a fault";
    case Sometimes::elections_overlap: return "two elections at once";
    case Sometimes::participant_crashed: return "a participant crashes";
    case Sometimes::announcer_crashed: return "a coordinator crashes while announced";
    case Sometimes::restarted_coordinator: return "a restarted process is elected";
    case Sometimes::replaced: return "a coordinator retires and is replaced";
    case Sometimes::stopped: return "a message is stopped on its way";
    case Sometimes::handed_on: return "a token goes from one to another";
    case Sometimes::timer: return "a timer fires";
    case Sometimes::yielded: return "votes are yielded";
  }
  return "?";
}

bool CheckReport::interesting() const {
  return std::all_of(sometimes.begin(), sometimes.end(),
                     [](const auto& each) { return each.second; });
}

namespace {

void validate_election(const Options& options, const CatalogEntry& entry) {
  std::string name(entry.about.name);
  if (options.budget(Budget::restart) > options.budget(Budget::crash))
    throw BadText("--restart: only a crashed process restarts; give as many --crash");
  if (options.budget(Budget::crash) > 0 && !entry.can.restarts)
    throw BadText(name + " assumes that no process crashes; bully and bully-polite survive it");
}

/// Protocols are explored on a fixed ring. They have no leases there, so nothing may be lost.
void validate_protocol(const Options& options, const CatalogEntry& entry) {
  for (Budget budget : {Budget::leave, Budget::join, Budget::lose, Budget::crash, Budget::suspect})
    if (options.budget(budget) > 0)
      throw BadText(std::string(entry.about.name) +
                    " is explored on a fixed ring that loses nothing; its tests in virtual time "
                    "lose messages and nodes (docs/overlay.md)");
}

}  // namespace

void validate(const Options& options) {
  const CatalogEntry& entry = find_any(options.setting.algorithm);
  std::string name(entry.about.name);
  const Setting& setting = options.setting;
  if (setting.nodes < 1 || setting.nodes > nodes_max)
    throw BadText("the checker explores up to " + std::to_string(nodes_max) + " nodes");
  if (setting.requests < 1) throw BadText("--requests must be at least 1");
  if (setting.readers > 0 && !entry.can.shared)
    throw BadText(name + " admits one process at a time: leave out --readers");
  if (setting.readers > setting.nodes)
    throw BadText("--readers: there are only " + std::to_string(setting.nodes) + " nodes");
  std::uint64_t in_clusters = 0;
  for (Node size : setting.clusters) in_clusters += size;
  if (!setting.clusters.empty() && in_clusters != setting.nodes)
    throw BadText("--clusters: they have " + std::to_string(in_clusters) + " nodes, not " +
                  std::to_string(setting.nodes));
  sim::validate_sites(setting.clusters, setting.sites);
  for (auto [budget, count] : options.budgets)
    if (count > budget_max)
      throw BadText("nothing can happen more than " + std::to_string(budget_max) + " times");
  if (entry.about.needs_fifo && !options.fifo)
    throw BadText(name + " needs FIFO channels: use --channel fifo");
  if (setting.tuning.order < 2 || setting.tuning.order > 8)
    throw BadText("--order: a tree's nodes have at most 2 to 8 children, not " +
                  std::to_string(setting.tuning.order));
  if (entry.can.elects) return validate_election(options, entry);
  if (entry.can.routed) return validate_protocol(options, entry);
  bool moves = options.budget(Budget::leave) + options.budget(Budget::join) > 0;
  if (moves && !entry.can.dynamic)
    throw BadText(name + " has fixed members; naimi-trehel and elmp let them come and go");
  if (options.budget(Budget::leave) > 0 && !options.fifo && entry.about.leave_needs_fifo)
    throw BadText("leaving " + name + " needs FIFO channels: use --channel fifo");
  if ((options.budget(Budget::suspect) > 0 || options.detect) && !entry.can.suspecting)
    throw BadText(name + " does not use a failure detector; central does");
  if (options.detect && options.budget(Budget::crash) == 0) throw BadText("--detect needs --crash");
  if (options.detect && options.budget(Budget::suspect) > 0)
    throw BadText("--detect never errs and --suspect may: give only one");
  if (entry.algorithm.starts_with("maekawa")) {
    try {
      voting_set(Members::first(setting.nodes), NodeId{0}, entry.tuned(setting.tuning).voting);
    } catch (const std::invalid_argument& error) {
      throw BadText(error.what());
    }
  }
}

namespace {

/// For each situation that these bounds should reach, whether `seen` contains it.
std::map<Sometimes, bool> expected(Model& model, const Options& options, std::uint32_t seen) {
  std::map<Sometimes, bool> list;
  auto expect = [&](bool expected, Sometimes sometimes) {
    if (expected) list[sometimes] = (seen & bit(sometimes)) != 0;
  };
  auto may = [&](Budget budget) { return options.budget(budget) > 0; };
  const CatalogEntry& entry = model.entry();
  bool company = options.setting.nodes > 1;
  if (entry.can.elects) {
    bool crash = may(Budget::crash) && options.setting.nodes > 2;
    expect(company, Sometimes::elections_overlap);
    expect(crash, Sometimes::participant_crashed);
    expect(crash, Sometimes::announcer_crashed);
    expect(crash && may(Budget::restart), Sometimes::restarted_coordinator);
    expect(company && may(Budget::retire), Sometimes::replaced);
    return list;
  }
  bool only_token = entry.about.restless;
  bool faults =
      may(Budget::duplicate) || may(Budget::lose) || may(Budget::crash) || may(Budget::suspect);
  expect(company, Sometimes::two_wait);
  expect(company && options.setting.readers < options.setting.nodes, Sometimes::waits_while_inside);
  expect(options.setting.readers > 1, Sometimes::readers_together);
  expect(company && entry.can.token && !only_token, Sometimes::token_and_request_in_flight);
  expect(company && may(Budget::cancel), Sometimes::cancel_meets_message);
  expect(company && may(Budget::cancel), Sometimes::withdrawn);
  expect(may(Budget::join), Sometimes::joined);
  expect(may(Budget::leave), Sometimes::left);
  expect(company && entry.can.structured && !faults, Sometimes::examined);
  expect(faults, Sometimes::fault);
  Node requesters = entry.can.routed && company ? options.setting.requesters : 0;
  expect(requesters > 1 && model.intercepts(), Sometimes::stopped);
  expect(requesters > 1 && entry.about.family == "token", Sometimes::handed_on);
  expect(requesters > 1 && may(Budget::timer), Sometimes::timer);
  // Unless nodes on the route intercept requests, it takes three requesters to split the votes.
  expect(requesters > (model.intercepts() ? 1 : 2) && may(Budget::timer), Sometimes::yielded);
  return list;
}

/// Looks for livelocks. Call it only after a complete search that found no violation.
void look_for_cycles(Model& model, const Options& options, Search<AlgorithmSystem>& search,
                     CheckReport& report) {
  auto start = std::chrono::steady_clock::now();
  search.forget_ways();
  auto found = CycleSearch<AlgorithmSystem>(model, options, search).run();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report.livelock_seconds = took.count();
  report.complete = found.incomplete.empty() && !found.livelock;
  if (!found.incomplete.empty())
    report.incomplete = "livelocks were not looked for to the end: " + found.incomplete;
  if (!found.livelock) return;
  bool elects = model.entry().can.elects;
  report.violation = sim::Violation{elects ? sim::Property::all_elect : sim::Property::progress,
                                    "livelock: messages flow in a cycle of " +
                                        std::to_string(found.livelock->states) +
                                        (elects ? " states, and the election does not end"
                                                : " states, a process waits and none ever enters")};
  MemoryBudget::trim();
  report.steps = search.way_to(found.livelock->state).value_or(std::vector<Step>());
  report.cycle = report.steps.size();
  report.steps.insert(report.steps.end(), found.livelock->cycle.begin(),
                      found.livelock->cycle.end());
}

CheckReport check_one(const Options& options, const ProgressSink& progress) {
  std::shared_ptr<Model> model =
      make_model(find_any(options.setting.algorithm), options.setting, options.bytes_max);
  Search<AlgorithmSystem> search(*model, options, progress);
  CheckReport report;
  search.run(report);
  report.sometimes = expected(*model, options, report.seen);
  report.model = model;
  if (report.complete && options.livelock) look_for_cycles(*model, options, search, report);
  model->memory().lift();
  return report;
}

/// Checks every order of the ring. Each starts at node 0, since rotations are equivalent.
CheckReport check_rings(Options options, const ProgressSink& progress) {
  std::vector<NodeId> ring;
  for (Node node = 0; node < options.setting.nodes; ++node) ring.push_back(NodeId{node});
  CheckReport sum;
  do {
    options.setting.ring = ring;
    CheckReport report = check_one(options, progress);
    report.ring = ring;
    if (!report.incomplete.empty()) report.incomplete += ", on the ring " + print(ring);
    if (report.violation || !report.complete) return report;
    report.states += sum.states;
    report.transitions += sum.transitions;
    report.depth = std::max(report.depth, sum.depth);
    report.seconds += sum.seconds;
    report.livelock_seconds += sum.livelock_seconds;
    report.bytes += sum.bytes;
    for (auto [sometimes, seen] : sum.sometimes) report.sometimes[sometimes] |= seen;
    sum = report;
  } while (std::next_permutation(ring.begin() + 1, ring.end()));
  return sum;
}

}  // namespace

CheckReport check(const Options& options, const ProgressSink& progress) {
  validate(options);
  const CatalogEntry& entry = find_any(options.setting.algorithm);
  if (entry.can.routed) {
    Options routed = options;
    routed.setting.tuning.replication.name = overlay::FixedRing::name_at(0, options.setting.nodes);
    routed.setting.forget = options.reduce;
    routed.livelock = false;  // versions only grow: there are no cycles
    return check_one(routed, progress);
  }
  if (!entry.can.elects) return check_one(options, progress);
  // A tick is a nanosecond: see algorithm_system_elections.cpp.
  Options timed = options;
  timed.setting.tuning.answer_timeout = Duration(3);
  timed.setting.tuning.coordinator_timeout = Duration(6);
  bool ring = entry.algorithm == "chang-roberts" && timed.setting.ring.empty();
  return ring ? check_rings(timed, progress) : check_one(timed, progress);
}

}  // namespace conch::check
