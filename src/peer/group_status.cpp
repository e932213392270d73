#include "peer/group_status.hpp"

#include <algorithm>

#include "node/overlay_group_settings.hpp"

namespace conch::peer {

std::map<std::string, GroupStatus::Lock> locks_of(const node::Status& status) {
  std::map<std::string, GroupStatus::Lock> locks;
  for (const node::StatusPart& part : status.parts) {
    for (const node::LockPart& lock : part.locks) {
      GroupStatus::Lock& found = locks[lock.lock];
      found.name = lock.lock;
      // The first claim in the queue is the one that asks the group, so it is not behind itself.
      std::uint64_t others = lock.in_line - (lock.waits && lock.in_line > 0 ? 1 : 0);
      GroupStatus::Claim own{part.life.id.value, lock.reads, lock.since, others};
      if (lock.holds) found.holders.push_back(own);
      if (lock.holds) found.fence = std::max(found.fence, lock.fence);
      if (lock.waits) found.waiters.push_back(own);
      if (lock.token) found.token = part.life.id.value;
    }
  }
  for (auto& [name, lock] : locks)
    std::sort(lock.waiters.begin(), lock.waiters.end(),
              [](const auto& a, const auto& b) { return a.since > b.since; });
  return locks;
}

const node::StatusPart* part_of(const node::Status& status, const recovery::Member& member) {
  for (const node::StatusPart& part : status.parts)
    if (part.life == member.life()) return &part;
  return nullptr;
}

GroupStatus group_status(const node::Status& status) {
  GroupStatus group{status.group, status.view.algorithm, status.view.epoch.value, {}, {}};
  if (auto overlay_settings = node::parse_overlay_settings(status.view.algorithm))
    group.algorithm = overlay_settings->algorithm;
  for (const recovery::Member& member : status.view.roster) {
    const node::StatusPart* part = part_of(status, member);
    group.members.push_back({member.id.value, member.address, member.cluster, part != nullptr,
                             part ? part->process : 0, part ? part->age : Duration{}});
  }
  for (auto& [name, lock] : locks_of(status)) group.locks.push_back(std::move(lock));
  return group;
}

}  // namespace conch::peer
