// Views: who belongs to the group, according to the register.
//
// A *view* is one decision of the register; views are numbered 1, 2, 3 and form one chain. Each has
// an epoch and a roster. When a peer joins an algorithm with dynamic membership, the new view keeps
// the epoch. A crash, a leave or any other change begins a new epoch, and the locks are recovered
// (view_protocol.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clusters.hpp"
#include "core/fields.hpp"
#include "core/kinds.hpp"
#include "core/members.hpp"
#include "core/peer_instance.hpp"
#include "core/shared_vector.hpp"
#include "core/types.hpp"
#include "core/versions.hpp"

namespace conch::recovery {

struct Member {
  NodeId id;
  Incarnation incarnation{};
  /// Where it can be reached; empty in a simulation.
  std::string address = {};
  /// It joined after the epoch began. A guest is no lock's home before the next epoch.
  bool guest = false;
  /// A label that says who is near it (core/clusters.hpp).
  std::string cluster = {};
  /// Its label is computed from measured latencies.
  bool adaptive = false;
  Versions speaks = spoken;
  CONCH_FIELDS(Member, id, incarnation, address, guest, cluster, adaptive, speaks)

  PeerInstance life() const { return {id, incarnation}; }
};

/// The members, by id. Copies of a roster share them: a view is copied often, and may be large.
class Roster {
 public:
  Roster() = default;
  explicit Roster(std::vector<Member> members) : members_(sorted(std::move(members))) {}

  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }
  std::size_t size() const { return members_.size(); }
  bool empty() const { return members_.empty(); }

  const Member* find(NodeId id) const {
    auto found = std::lower_bound(
        begin(), end(), id, [](const Member& member, NodeId sought) { return member.id < sought; });
    return found == end() || found->id != id ? nullptr : &*found;
  }
  bool contains(NodeId id) const { return find(id) != nullptr; }
  bool contains(const PeerInstance& life) const {
    const Member* member = find(life.id);
    return member && member->incarnation == life.incarnation;
  }
  Roster with(Member member) const {
    std::vector<Member> members = without(member.id).members_.get();
    members.push_back(std::move(member));
    return Roster(std::move(members));
  }
  Roster without(NodeId id) const {
    std::vector<Member> members = members_.get();
    std::erase_if(members, [&](const Member& member) { return member.id == id; });
    return Roster(std::move(members));
  }
  /// The same roster without guests, as at the start of an epoch.
  Roster settled() const {
    std::vector<Member> members = members_.get();
    for (Member& member : members) member.guest = false;
    return Roster(std::move(members));
  }

  /// All members, in the form an algorithm takes.
  Members all() const {
    return collect([](const Member&) { return true; });
  }
  /// The members with which the epoch began.
  Members founders() const {
    return collect([](const Member& member) { return !member.guest; });
  }

  /// The same roster with these labels, for those of the nodes that are members.
  Roster labelled(const std::map<NodeId, std::string>& labels) const {
    std::vector<Member> members = members_.get();
    for (Member& member : members)
      if (auto found = labels.find(member.id); found != labels.end())
        member.cluster = found->second;
    return Roster(std::move(members));
  }
  /// The clusters of the founders; none if nobody has a label.
  Clusters clusters() const {
    auto has_label = [](const Member& member) { return !member.guest && !member.cluster.empty(); };
    if (std::none_of(begin(), end(), has_label)) return {};
    std::map<NodeId, std::string> labels;
    for (const Member& member : members_)
      if (!member.guest) labels[member.id] = member.cluster;
    return Clusters(labels);
  }

  /// A decoded roster may be malformed.
  bool valid() const {
    bool labels = std::all_of(begin(), end(), [](const Member& member) {
      return member.cluster.empty() || is_label(member.cluster);
    });
    bool sorted = std::adjacent_find(begin(), end(), [](const Member& a, const Member& b) {
                    return a.id >= b.id;
                  }) == end();
    return labels && sorted;
  }

 private:
  template <class Predicate>
  Members collect(Predicate&& belongs) const {
    std::vector<NodeId> ids;
    for (const Member& member : members_)
      if (belongs(member)) ids.push_back(member.id);
    return Members(std::move(ids));
  }

  static std::vector<Member> sorted(std::vector<Member> members) {
    std::sort(members.begin(), members.end(),
              [](const Member& a, const Member& b) { return a.id < b.id; });
    return members;
  }

  SharedVector<Member> members_;

 public:
  CONCH_FIELDS(Roster, members_)
};

/// A lock that was forced open: a hold from before this epoch is void.
struct Forced {
  std::string lock;
  Epoch epoch;
  CONCH_FIELDS(Forced, lock, epoch)
};

struct View {
  /// 0: there is no group yet.
  std::uint64_t number = 0;
  Epoch epoch{0};
  /// The catalogue name of the algorithm that all members run.
  std::string algorithm;
  /// The life whose proposal began the epoch; it decides who holds what.
  PeerInstance decider;
  Roster roster;
  /// Lives evicted in this view or before whose leases may still run. An epoch is not installed
  /// until these have ended, or the lives have reported that they hold nothing.
  std::vector<PeerInstance> evicted;
  /// Each lock at most once. A name stays in later views until a proposer knows that every member
  /// has heard of it.
  std::vector<Forced> forced = {};
  /// For algorithms that have it (core/tuning.hpp); all members use the same.
  std::uint32_t eps = 0;
  CONCH_FIELDS(View, number, epoch, algorithm, decider, roster, evicted, forced, eps)

  /// Every epoch with members has a founder, and every epoch fits into a fence.
  bool valid() const {
    bool founded = roster.empty() || roster.founders().size() > 0;
    bool forced_by_now = std::all_of(forced.begin(), forced.end(), [&](const Forced& each) {
      return each.epoch > Epoch{0} && each.epoch <= epoch;
    });
    return (number == 0) == (epoch == Epoch{0}) && epoch <= Fence::last_epoch && founded &&
           forced_by_now;
  }

  /// The epoch that forced the lock open; epoch 0 if none did.
  Epoch forced_open(std::string_view lock) const {
    auto found = std::find_if(forced.begin(), forced.end(),
                              [&](const Forced& each) { return each.lock == lock; });
    return found == forced.end() ? Epoch{0} : found->epoch;
  }

  /// Whether a life keeps a lease: members do, and a decider that leaves, since they wait for it.
  bool has_tenant(const PeerInstance& life) const {
    return roster.contains(life) || decider == life;
  }
  /// Whether the lease of a life matters to the group.
  bool mentions(const PeerInstance& life) const {
    return has_tenant(life) || std::find(evicted.begin(), evicted.end(), life) != evicted.end();
  }
  /// All lives whose leases matter.
  std::vector<PeerInstance> lives() const {
    std::vector<PeerInstance> all = evicted;
    for (const Member& member : roster) all.push_back(member.life());
    if (number > 0 && !roster.contains(decider)) all.push_back(decider);
    return all;
  }
};

/// A peer that waits to be taken into the group, with the settings of the view that it has checked.
struct Newcomer {
  Member member;
  std::string algorithm;
  std::uint32_t eps = 0;
  CONCH_FIELDS(Newcomer, member, algorithm, eps)
};

/// Peers that wait for a change of the view, where many may come or go at once. The first of them
/// proposes it for all.
struct Waiting {
  /// Another peer comes first.
  bool is_behind = false;
  /// Known only to the first.
  std::vector<Newcomer> newcomers = {};
  std::vector<PeerInstance> leavers = {};
  /// How long ago the newest view was accepted.
  Duration view_age = Duration::max();
  friend bool operator==(const Waiting&, const Waiting&) = default;
};

/// What the register knows: the newest view, and the lives it mentions whose leases are known to
/// have ended. Those that the asker watches are known (recovery/watching.hpp); of others some may
/// be.
struct RegisterSnapshot {
  View view;
  std::vector<PeerInstance> ended;
  /// No epoch begins below this: seconds since 1970 by the clock of the host that asked the
  /// register, so a register that is lost and recreated does not repeat epochs. Not sent: a peer
  /// that asks through another counts up by one, and clocks of several machines do not mix.
  Epoch epoch_floor{0};
  CONCH_NAMED_FIELDS(RegisterSnapshot, "Standing", view, ended)

  bool has_ended(const PeerInstance& life) const {
    return std::find(ended.begin(), ended.end(), life) != ended.end();
  }
};

}  // namespace conch::recovery
