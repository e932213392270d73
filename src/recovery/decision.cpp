#include "recovery/decision.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "recovery/knowledge.hpp"

namespace conch::recovery {

namespace {

/// All reports about one lock.
struct Gathered {
  struct Holder {
    NodeClaim claim;
    Fence fence;
  };
  struct Waiter {
    NodeClaim claim;
    Duration waited;
  };
  std::vector<Holder> holders;
  std::vector<Waiter> waiters;
  Baton known;
  /// The highest version to which a rollback was reported.
  std::optional<std::uint64_t> rolled_back_to;
  /// Copies that members have, each with that member as its location.
  std::vector<DataRef> copies;
  /// The newest version that is empty because its writer left no data.
  DataRef emptied;
};

void gather(const Roster& roster, const PeerInstance& from, const LockReport& report,
            Gathered& lock) {
  bool member = roster.contains(from);
  if (is_newer(report.known, lock.known)) lock.known = report.known;
  const DataRef& data = report.known.data;
  if (!data.location && data.version > lock.emptied.version) lock.emptied = data;
  if (report.rolled_back)
    lock.rolled_back_to = std::max(lock.rolled_back_to.value_or(0), report.known.data.version);
  if (!member) return;  // not a member any more, so it has lost whatever it held
  if (report.held) lock.holders.push_back({{from.id, report.held->wish}, report.held->fence});
  if (report.waits) lock.waiters.push_back({{from.id, report.waits->wish}, report.waits->waited});
  if (report.copy) lock.copies.push_back({report.copy->version, report.copy->size, from.id});
}

/// Two conflicting holders cannot both be right; the one with the larger fence entered later.
std::vector<NodeClaim> holders_of(std::vector<Gathered::Holder> holders) {
  std::stable_sort(holders.begin(), holders.end(),
                   [](const auto& a, const auto& b) { return a.fence > b.fence; });
  std::vector<NodeClaim> kept;
  for (const auto& [claim, fence] : holders) {
    bool conflicts = std::any_of(kept.begin(), kept.end(), [&](const NodeClaim& other) {
      return claim.wish.conflicts(other.wish);
    });
    if (!conflicts) kept.push_back(claim);
  }
  return kept;
}

/// Orders waiters by waiting time, longest first.
std::vector<NodeClaim> waiters_of(std::vector<Gathered::Waiter> waiters) {
  std::stable_sort(waiters.begin(), waiters.end(),
                   [](const auto& a, const auto& b) { return a.waited > b.waited; });
  std::vector<NodeClaim> order;
  for (const auto& waiter : waiters) order.push_back(waiter.claim);
  return order;
}

/// The newest data of which a member has a copy, even if its writer died before anybody else knew
/// of them. Among equal copies prefers the recorded location; that peer may have restarted without
/// its data. If newer data are lost, data that a writer left empty stay empty.
DataRef data_of(const Gathered& lock) {
  DataRef best = lock.emptied;
  auto rank = [&](const DataRef& copy) {
    return std::tuple(copy.version, copy.location == lock.known.data.location);
  };
  for (const DataRef& copy : lock.copies) {
    bool is_better = best.location ? rank(copy) > rank(best) : copy.version > best.version;
    if (is_better) best = copy;
  }
  return best;
}

LockAssignment assign(const std::string& name, const Gathered& lock) {
  DataRef data = data_of(lock);
  bool lost = data.version < lock.known.data.version;
  bool lost_before = lock.rolled_back_to && data.version <= *lock.rolled_back_to;
  return {name, holders_of(lock.holders), waiters_of(lock.waiters), data, lost || lost_before};
}

bool is_worth_remembering(const LockAssignment& lock) {
  return !lock.holders.empty() || !lock.waiters.empty() || lock.data != DataRef{} ||
         lock.rolled_back;
}

bool is_sound(const LockAssignment& lock, const Members& founders) {
  std::set<NodeId> nodes;
  auto is_news = [&](const NodeClaim& claim) {
    return founders.contains(claim.node) && nodes.insert(claim.node).second;
  };
  auto conflicts = [&](const NodeClaim& claim) {
    return std::any_of(lock.holders.begin(), lock.holders.end(), [&](const NodeClaim& other) {
      return other.node != claim.node && claim.wish.conflicts(other.wish);
    });
  };
  return std::all_of(lock.holders.begin(), lock.holders.end(), is_news) &&
         std::all_of(lock.waiters.begin(), lock.waiters.end(), is_news) &&
         std::none_of(lock.holders.begin(), lock.holders.end(), conflicts);
}

}  // namespace

bool is_sound(const LockReports& locks) {
  std::set<std::string> names;
  return std::all_of(locks.begin(), locks.end(), [&](const LockReport& lock) {
    return names.insert(lock.lock).second && !(lock.held && lock.waits);
  });
}

bool is_sound(const LockAssignments& locks, const Members& founders) {
  std::set<std::string> names;
  return std::all_of(locks.begin(), locks.end(), [&](const LockAssignment& lock) {
    return names.insert(lock.lock).second && is_sound(lock, founders);
  });
}

LockAssignments decide(const Roster& roster, const std::map<PeerInstance, LockReports>& reports) {
  std::map<std::string, Gathered> locks;
  for (const auto& [life, of_life] : reports)
    for (const LockReport& report : of_life) gather(roster, life, report, locks[report.lock]);
  LockAssignments assigned;
  for (const auto& [name, lock] : locks)
    if (LockAssignment each = assign(name, lock); is_worth_remembering(each))
      assigned.push_back(std::move(each));
  return assigned;
}

}  // namespace conch::recovery
