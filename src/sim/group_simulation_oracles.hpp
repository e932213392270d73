// Checks what a lock promises to peers that crash, are stopped and come back, and counts what a run
// must have seen to mean something.
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "oracle/oracles.hpp"
#include "recovery/messages.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim {

/// `4#1`: the first life of peer 4.
std::string name_of(const PeerInstance& life);

/// A thread or a client of a peer, in one life of the peer: `4#1.2`.
struct Actor {
  PeerInstance life;
  unsigned number = 0;
  auto operator<=>(const Actor&) const = default;
};
std::string name_of(const Actor& actor);
/// The fence of each holder, and the number of its entry, counted from the lock's first.
using Holders = std::map<Actor, Fence>;
using Entries = std::map<Actor, std::uint64_t>;

/// What may happen in a run; what never happened was not tested.
enum class Sighting : std::uint8_t {
  recovery_overlapped,    // an epoch began before the one before it was installed
  decider_died,           // killed or stopped before all members had installed
  proposal_refused,       // another proposal came first
  late_holder_told,       // a stopped holder woke after its lease, and was told at once
  woke_after_eviction,    // the same, after another had been let in
  token_in_flight,        // a token of the old epoch arrived in a newer one
  early_message,          // a message came before its epoch was installed
  holder_kept,            // a holder kept its lock while an epoch began
  released_while_frozen,  // a holder released before the epoch was installed
  data_rolled_back,       // the newest data died with their holder
  guest_came,             // a guest joined without a new epoch
  member_left,
  joined_together,
  left_together,
  falsely_suspected,  // a member was put out before its lease ended
  usurped,            // two lives of one id ran at once
  register_away,      // a lease ran out because of it
  founded_again,      // all members had gone
  readers_together,
  lock_forgotten,  // by a peer that had no use for it
  holder_forced,   // the lock was forced open, and the holder was told
  lock_opened,     // the client that forced it open was told
  epoch_worn,      // a new one began before the fences of the old one ran out
  relabelled,      // members got other labels
  command_ended,   // after its peer was killed or put out, while others waited
  member_evicted,  // on request
  lived_again,     // a process was put out, and came back as a new life
  stayed_near,     // a lock went from one thread or client of a peer to another
  client_entered,
  client_vanished,    // with a lock, or while it waited
  patience_ended,     // a claim gave up waiting
  left_while_wanted,  // a peer left while its threads or clients held locks or waited
  data_inherited,     // from a peer that left
  data_streamed,      // bytes came from another machine
  data_enclosed,      // data came with the lock
  memory_passed,      // from another process of the machine
  memory_changed,     // by another process of the machine, while one was looking at it
  copy_found,         // at another peer than the lock had named
  copies_spread,      // before the lock went on
  part_patched,       // where the rest was
  data_torn,          // a writer died, or was put out, and the next holder was told
  data_lost,          // the next holder was told that no peer had them
  data_saved,         // by the last peer that left
  data_restored,      // by the first peer that came
  transfer_cut,
  asked_for_another,  // a peer asked the register for one that cannot
  channel_broke,      // between two lives that went on
  holder_shown,
  group_surveyed,      // a client asked who holds what, and was told
  lock_delay_counted,  // a lease was renewed with a lock delay
  client_turned_away,  // because its peer had too many
  client_stopped,      // when its peer wanted to leave
  disk_full,           // the register could be read, but not written
  everybody_left,      // at the end, with nothing left behind
  connection_cut,      // with bytes on their way, of which some did not come
  wrote_in_parts,      // because a connection took less than it was given
  severed,             // two peers no longer heard one another, and all others heard both
  machine_died,        // with all its peers at once
  machine_slept,
  socket_made_again,    // after it had been removed
  descriptors_lacking,  // a peer could open no connection, and take none
  sites_found,          // by measuring
  nonsense_heard,       // a peer sent what none of ours would
  babbler_put_out,      // for that, or for something else
  stranger_refused,     // it was started for another kind of group
  client_sent_away,     // because its message was malformed
  withdrew_meanwhile,   // a claim gave up while another stayed inside for long
  refused_in_time,      // a client whose patience ended while another stayed inside for long
  data_resized,
  data_emptied,
};
inline constexpr auto sighting_count = static_cast<std::size_t>(Sighting::data_emptied) + 1;
std::string_view word(Sighting sighting);
/// Whether some hundred runs of this algorithm must show it.
bool is_expected(Sighting sighting, const CatalogEntry& entry);
using Sightings = std::array<std::uint64_t, sighting_count>;

/// The sightings of a run, and its first violation.
class RunFindings {
 public:
  void see(Sighting sighting) { ++sightings_[static_cast<std::size_t>(sighting)]; }
  const Sightings& sightings() const { return sightings_; }
  void report(Property property, std::string what);
  const std::optional<Violation>& violation() const { return violation_; }

 private:
  Sightings sightings_{};
  std::optional<Violation> violation_;
};

/// Checks one lock.
class LockOracle {
 public:
  /// Whether this version is the newest that a peer has.
  using HasNewest = std::function<bool(const PeerInstance& life, std::uint64_t version)>;

  LockOracle(RunFindings& findings, HasNewest has_newest)
      : findings_(&findings), has_newest_(std::move(has_newest)) {}

  /// `is_rolled_back`: the actor is told that the data are older than those of the last holder.
  void entered(const Actor& actor, const Baton& baton, const Wish& wish, bool is_rolled_back);
  /// A claim of this life was let in with this fence, be it of an actor or of the peer itself.
  void granted(const PeerInstance& life, Fence fence) { granted_[fence.number()].insert(life); }
  /// A client is told that this life holds the lock.
  void shown(const PeerInstance& life, std::uint64_t fence);
  /// The actor releases; the lock then says this of the data, if they have changed.
  void left(const Actor& actor, const std::optional<DataRef>& written);

  // Data.

  /// The lock tells a holder of these data.
  void found(const Actor& actor, const DataRef& data, bool is_rolled_back);
  /// The last peer that leaves takes the data along.
  void ended() {
    written_.clear();
    has_ended_ = true;
  }
  void found_torn(const Actor& actor, std::uint64_t version);
  /// The actor is told that newer data than this version were lost.
  void told_rolled_back(const Actor& actor, std::uint64_t version);
  void found_size(const Actor& actor, std::uint64_t version, std::uint64_t size);
  /// The actor finds these bytes of a version, from `begin` on.
  void found_bytes(const Actor& actor, std::uint64_t version, std::uint64_t begin,
                   const std::string& bytes);
  /// The holder with this fence begins to change a version where others can see it, and finishes.
  void begins(Fence fence, std::uint64_t version) { begun_[fence] = version; }
  void finishes(Fence fence) { begun_.erase(fence); }
  /// A holder has written this version, and may die before it releases.
  void offers(const PeerInstance& life, std::uint64_t version, const std::string& bytes) {
    bytes_[version] = bytes;
    copied(life, version);
  }
  /// The keeper of a version has replaced a part of it.
  void patches(const PeerInstance& keeper, std::uint64_t before, const DataRef& data,
               std::uint64_t begin, const std::string& bytes);
  /// This peer was given the version, too. Not said of a peer that only sees it in shared memory:
  /// it may have told that it has the version before.
  void copied(const PeerInstance& life, std::uint64_t version) { copies_[version].insert(life); }
  /// A peer has left in good order with this as its newest version; `is_elsewhere`: another has it.
  void departed(const PeerInstance& life, std::uint64_t version, bool is_elsewhere);
  /// The writer goes on because so many other peers have the version.
  void promised(const Actor& actor, std::uint64_t version, unsigned copies,
                const recovery::Roster& roster);
  /// The actor no longer holds the lock, and knows.
  void told_lost(const Actor& actor);
  /// The actor no longer holds the lock, which was forced open by this epoch.
  void told_forced(const Actor& actor, Epoch by);
  /// A client is told that the lock was forced open; these were inside when it asked.
  void opened(const Entries& inside_before);
  /// The process has died, or is out of the group, and holds nothing any more.
  void died(const PeerInstance& life);
  void gone(const PeerInstance& life) { gone_.insert(life); }
  bool is_inside(const Actor& actor) const { return inside_.contains(actor); }
  bool is_empty() const { return inside_.empty(); }

  /// The actor is inside after its lease; the world says so before another enters.
  void is_late(const Actor& actor) { inside_.at(actor).late = true; }
  Entries inside() const;

 private:
  struct Holder {
    Fence fence;
    Wish wish;
    std::uint64_t entry = 0;
    bool late = false;
  };
  void check_exclusion(const Actor& actor, Fence fence, const Wish& wish);
  void check_fence(const Actor& actor, Fence fence, const Wish& wish);
  void check_loss(const Actor& actor, std::uint64_t version, std::uint64_t found);
  void check_promise(const Actor& actor, std::uint64_t lost, std::uint64_t found);
  void check_told(const Actor& actor, std::uint64_t lost, std::uint64_t found);
  void see(Sighting sighting) { findings_->see(sighting); }
  void report(Property property, std::string what) { findings_->report(property, std::move(what)); }

  RunFindings* findings_;
  HasNewest has_newest_;
  std::uint64_t entries_ = 0;
  std::map<Actor, Holder> inside_;
  /// The lives that have entered with each fence.
  std::map<std::uint64_t, std::set<PeerInstance>> granted_;
  /// Holders after whose lease another has entered.
  std::set<Actor> overtaken_;
  /// The largest fence that was handed out.
  Fence largest_;
  std::optional<PeerInstance> last_;
  /// The versions that were released, oldest first.
  std::vector<std::uint64_t> written_;
  /// The last peer has left, and taken the data along.
  bool has_ended_ = false;
  /// For each version that ever was: its bytes, the peers that were given a copy, and those for
  /// which its writer waited.
  std::map<std::uint64_t, std::string> bytes_;
  std::map<std::uint64_t, std::set<PeerInstance>> copies_;
  std::map<std::uint64_t, std::set<PeerInstance>> promised_;
  /// Versions that holders have begun to change and not released, by fence.
  std::map<Fence, std::uint64_t> begun_;
  /// The newest version that each peer has heard of.
  std::map<PeerInstance, std::uint64_t> heard_;
  std::set<PeerInstance> gone_;
};

}  // namespace conch::sim
