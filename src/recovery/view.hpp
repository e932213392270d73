// Who belongs to the group, as the register has it.
//
// A *view* is one decision of the register; views are numbered 1, 2, 3 and form one chain. Each has
// an epoch and a roster. A peer that comes to an algorithm with dynamic membership is a new view of
// the same epoch; a crash, a leave and everything else is a new epoch, and then locks are recovered
// (participant.hpp).
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
#include "core/types.hpp"
#include "recovery/versions.hpp"

namespace conch::recovery {

/// Which life of a peer. A peer that starts again has the same id and a larger incarnation; what
/// the former one sends, holds or keeps is nobody's. The process draws it when it asks to come in,
/// larger than any of its id that the register has seen, and no other process draws the same.
enum class Incarnation : std::uint64_t {};

/// One life of one peer.
struct Life {
  NodeId id;
  Incarnation incarnation{};
  CONCH_FIELDS(Life, id, incarnation)
  friend auto operator<=>(const Life&, const Life&) = default;
};

struct Member {
  NodeId id;
  Incarnation incarnation{};
  /// Where it can be reached; empty in a simulation.
  std::string address = {};
  /// It came after the epoch began. A guest is no lock's home before the next epoch.
  bool guest = false;
  /// Who is near it, as a label (core/clusters.hpp).
  std::string cluster = {};
  /// Its label follows from what the peers measure.
  bool adaptive = false;
  Versions speaks = spoken();
  CONCH_FIELDS(Member, id, incarnation, address, guest, cluster, adaptive, speaks)

  Life life() const { return {id, incarnation}; }
};

/// The members, by id.
class Roster {
 public:
  Roster() = default;
  explicit Roster(std::vector<Member> members) : members_(std::move(members)) {
    std::sort(members_.begin(), members_.end(),
              [](const Member& a, const Member& b) { return a.id < b.id; });
  }

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
  bool contains(const Life& life) const {
    const Member* member = find(life.id);
    return member && member->incarnation == life.incarnation;
  }
  Roster with(Member member) const {
    std::vector<Member> members = without(member.id).members_;
    members.push_back(std::move(member));
    return Roster(std::move(members));
  }
  Roster without(NodeId id) const {
    std::vector<Member> members = members_;
    std::erase_if(members, [&](const Member& member) { return member.id == id; });
    return Roster(std::move(members));
  }
  /// Nobody is a guest any more: an epoch begins.
  Roster settled() const {
    std::vector<Member> members = members_;
    for (Member& member : members) member.guest = false;
    return Roster(std::move(members));
  }

  /// Everybody, as an algorithm is told.
  Members all() const {
    return collect([](const Member&) { return true; });
  }
  /// Those with whom the epoch began.
  Members founders() const {
    return collect([](const Member& member) { return !member.guest; });
  }

  /// With these labels for those of them who are members.
  Roster labelled(const std::map<NodeId, std::string>& labels) const {
    std::vector<Member> members = members_;
    for (Member& member : members)
      if (auto found = labels.find(member.id); found != labels.end())
        member.cluster = found->second;
    return Roster(std::move(members));
  }
  /// Those of the founders; none if nobody has a label.
  Clusters clusters() const {
    std::map<NodeId, std::string> labels;
    bool any = false;
    for (const Member& member : members_) {
      if (member.guest) continue;
      labels[member.id] = member.cluster;
      any = any || !member.cluster.empty();
    }
    return any ? Clusters(labels) : Clusters();
  }

  /// What arrives from elsewhere may not be a roster.
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

  std::vector<Member> members_;

 public:
  CONCH_FIELDS(Roster, members_)
};

/// Somebody has forced a lock open: who has held it since before this epoch holds it no more.
struct Forced {
  std::string lock;
  Epoch epoch;
  CONCH_FIELDS(Forced, lock, epoch)
};

struct View {
  /// 0: there is no group yet.
  std::uint64_t number = 0;
  Epoch epoch{0};
  /// What the group runs, a name of the catalogue: all must agree on it.
  std::string algorithm;
  /// Whose proposal this is. Of the first view of an epoch, it decides who holds what.
  Life decider;
  Roster roster;
  /// Put out of the roster, in this view or before, while their leases may still run: an epoch is
  /// not installed before they have ended, or these have said that they hold nothing.
  std::vector<Life> evicted;
  /// Each lock at most once; in this view and those after it, until whoever proposes the next one
  /// knows that every member has heard of it.
  std::vector<Forced> forced = {};
  /// Of an algorithm that has it (core/tuning.hpp): all must agree on it, too.
  std::uint32_t eps = 0;
  CONCH_FIELDS(View, number, epoch, algorithm, decider, roster, evicted, forced, eps)

  /// Every epoch has founders as long as it has members, and fits into a fence.
  bool valid() const {
    bool founded = roster.empty() || roster.founders().size() > 0;
    bool forced_by_now = std::all_of(forced.begin(), forced.end(), [&](const Forced& each) {
      return each.epoch > Epoch{0} && each.epoch <= epoch;
    });
    return (number == 0) == (epoch == Epoch{0}) && epoch <= Fence::last_epoch && founded &&
           forced_by_now;
  }

  /// By which epoch the lock was forced open; of none, by the one that never was.
  Epoch forced_open(std::string_view lock) const {
    auto found = std::find_if(forced.begin(), forced.end(),
                              [&](const Forced& each) { return each.lock == lock; });
    return found == forced.end() ? Epoch{0} : found->epoch;
  }

  /// Who keeps a lease: the members, and a decider that leaves, for they wait for its decision.
  bool has_tenant(const Life& life) const { return roster.contains(life) || decider == life; }
  /// Whether its lease matters.
  bool mentions(const Life& life) const {
    return has_tenant(life) || std::find(evicted.begin(), evicted.end(), life) != evicted.end();
  }
  /// Whose leases matter.
  std::vector<Life> lives() const {
    std::vector<Life> all = evicted;
    for (const Member& member : roster) all.push_back(member.life());
    if (number > 0 && !roster.contains(decider)) all.push_back(decider);
    return all;
  }
};

/// What the register knows: the newest view, and whose leases have ended of those that matter.
struct Standing {
  View view;
  std::vector<Life> ended;
  /// No epoch begins below it: seconds since 1970 by the clock of whoever has asked the register,
  /// so that one that was lost and founded anew does not repeat its epochs. It is not sent: who
  /// asks through another peer counts on by one, and clocks of several machines are not mixed.
  Epoch epoch_floor{0};
  CONCH_FIELDS(Standing, view, ended)

  bool has_ended(const Life& life) const {
    return std::find(ended.begin(), ended.end(), life) != ended.end();
  }
};

}  // namespace conch::recovery
