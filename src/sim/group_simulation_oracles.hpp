// What a lock promises to peers that crash, are stopped and come back; and what a run must have
// seen to mean something.
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
/// With which fences some are inside; and with which entry, counted from the first of the lock.
using Holders = std::map<Actor, Fence>;
using Entries = std::map<Actor, std::uint64_t>;

/// What happened in some run; what never did was not tested.
enum class Sighting : std::uint8_t {
  recovery_overlapped,    // an epoch began before the one before it was installed
  decider_died,           // it was killed or stopped before everybody had installed
  proposal_refused,       // somebody else's came first
  late_holder_told,       // a stopped holder woke after its lease, and was told at once
  woke_after_eviction,    // and another had been let in meanwhile
  token_in_flight,        // one of the old epoch arrived in a newer one, or nowhere
  early_message,          // one of the next epoch came before that was installed
  holder_kept,            // somebody was inside while an epoch began, and went on
  released_while_frozen,  // and released before it was installed
  data_rolled_back,       // the newest data died with their holder
  guest_came,             // without a new epoch
  member_left,
  falsely_suspected,  // somebody was put out whose lease had not ended
  usurped,            // two lives of one id ran at once
  register_away,      // somebody's lease ran out because of it
  founded_again,      // everybody had gone
  readers_together,
  lock_forgotten,  // by a peer that had no use for it
  holder_forced,   // somebody forced the lock open, and the holder was told
  lock_opened,     // and whoever had done so was told
  epoch_worn,      // a new one began before the fences of the old one ran out
  relabelled,      // members got other labels
  command_ended,   // after its peer was killed or put out, and somebody waited for that
  member_evicted,  // because somebody wanted it
  lived_again,     // a process was put out, and came back as a new life
  stayed_near,     // a lock went from one thread or client of a peer to another
  client_entered,
  client_vanished,    // with a lock, or while it waited
  patience_ended,     // somebody waited no longer
  left_while_wanted,  // a peer left while its threads or clients held locks or waited
  data_inherited,     // from one that left
  data_streamed,      // bytes came from another machine
  data_enclosed,      // they came with the lock
  memory_passed,      // from another process of the machine
  memory_changed,     // by another process of the machine, while one was looking at it
  copy_found,         // at another than the lock had named
  copies_spread,      // before the lock went on
  part_patched,       // where the rest was
  data_torn,          // a writer died, or was put out, and the next one was told
  data_lost,          // the next one was told that nobody had them
  data_saved,         // by the last one that left
  data_restored,      // by the first one that came
  transfer_cut,
  asked_for_another,  // a peer asked the register for one that cannot
  channel_broke,      // between two lives that went on
  holder_shown,
  group_surveyed,      // somebody asked who holds what, and was told
  lock_delay_counted,  // somebody waited beyond a lease
  client_turned_away,  // because its peer had too many
  client_stopped,      // when its peer wanted to leave
  disk_full,           // and the register could be read, but not written
  everybody_left,      // at the end, with nothing left behind
  connection_cut,      // with bytes on their way, of which some did not come
  wrote_in_parts,      // because a connection took less than it was given
  severed,             // two heard one another no more, and all others heard both
  machine_died,        // with all its peers at once
  machine_slept,
  socket_made_again,    // because somebody had removed it
  descriptors_lacking,  // a peer could open no connection, and take none
  sites_found,          // by measuring, after all had changed
  nonsense_heard,       // a peer said what none of ours would
  babbler_put_out,      // for that, or for something else
  stranger_refused,     // it was started for another kind of group
  client_sent_away,     // because it said what makes no sense
  withdrew_meanwhile,   // somebody gave up while another stayed inside for long
  refused_in_time,      // a client whose patience ended while another stayed inside for long
  data_resized,
  data_emptied,
};
inline constexpr auto sighting_count = static_cast<std::size_t>(Sighting::data_emptied) + 1;
std::string_view word(Sighting sighting);
/// Whether an algorithm of which one can say this shows it in some hundred runs.
bool is_expected(Sighting sighting, const CatalogEntry& entry);
using Sightings = std::array<std::uint64_t, sighting_count>;

/// Of a run.
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

/// Of one lock.
class LockOracle {
 public:
  /// Whether this version is the newest that a peer has.
  using HasNewest = std::function<bool(const PeerInstance& life, std::uint64_t version)>;

  LockOracle(RunFindings& findings, HasNewest has_newest)
      : findings_(&findings), has_newest_(std::move(has_newest)) {}

  /// Whether it is told that older data are there than those of the last holder.
  void entered(const Actor& actor, const Baton& baton, const Wish& wish, bool is_rolled_back);
  /// A claim of this life was let in with this fence, be it of an actor or of the peer itself.
  void granted(const PeerInstance& life, Fence fence) { granted_[fence.number()].insert(life); }
  /// Somebody who asks is told that this life holds the lock.
  void shown(const PeerInstance& life, std::uint64_t fence);
  /// It leaves by its own will, and the lock says this of the data, if it has changed.
  void left(const Actor& actor, const std::optional<DataRef>& written);

  // Data.

  /// What a holder is told by its lock.
  void found(const Actor& actor, const DataRef& data, bool is_rolled_back);
  /// The last one that leaves takes them along.
  void ended() {
    written_.clear();
    has_ended_ = true;
  }
  void found_torn(const Actor& actor, std::uint64_t version);
  /// It is told that newer data than these were lost.
  void told_rolled_back(const Actor& actor, std::uint64_t version);
  void found_size(const Actor& actor, std::uint64_t version, std::uint64_t size);
  /// The bytes of a version, from one of them on.
  void found_bytes(const Actor& actor, std::uint64_t version, std::uint64_t begin,
                   const std::string& bytes);
  /// Who holds the lock with this fence changes a version where others can see it; and has done so.
  void begins(Fence fence, std::uint64_t version) { begun_[fence] = version; }
  void finishes(Fence fence) { begun_.erase(fence); }
  /// A holder has written it, and may die before it releases.
  void offers(const PeerInstance& life, std::uint64_t version, const std::string& bytes) {
    bytes_[version] = bytes;
    copied(life, version);
  }
  /// A part of a version was replaced, where it was kept.
  void patches(const PeerInstance& keeper, std::uint64_t before, const DataRef& data,
               std::uint64_t begin, const std::string& bytes);
  /// This peer was given it, too. Who only sees it in memory that it shares has perhaps told that
  /// it has what was there before.
  void copied(const PeerInstance& life, std::uint64_t version) { copies_[version].insert(life); }
  /// A peer has left in good order, with these as its newest; whether somebody else has them.
  void departed(const PeerInstance& life, std::uint64_t version, bool is_elsewhere);
  /// Its writer goes on because so many others have it.
  void promised(const Actor& actor, std::uint64_t version, unsigned copies,
                const recovery::Roster& roster);
  /// It does not hold the lock any more, and knows.
  void told_lost(const Actor& actor);
  /// It does not hold the lock any more: somebody has forced it open, by this epoch.
  void told_forced(const Actor& actor, Epoch by);
  /// Somebody is told that the lock was forced open; these were inside when it asked for that.
  void opened(const Entries& inside_before);
  /// Its process has died, or is out of the group: what it had is nobody's.
  void died(const PeerInstance& life);
  void gone(const PeerInstance& life) { gone_.insert(life); }
  bool is_inside(const Actor& actor) const { return inside_.contains(actor); }
  bool is_empty() const { return inside_.empty(); }

  /// Those inside whose leases have run out, as the world finds before somebody enters.
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
  /// Those inside after whose lease another has entered.
  std::set<Actor> overtaken_;
  /// That was handed out.
  Fence largest_;
  std::optional<PeerInstance> last_;
  /// The versions that were released, oldest first.
  std::vector<std::uint64_t> written_;
  /// Somebody was the last, and has left nothing.
  bool has_ended_ = false;
  /// Of each version that ever was: its bytes, who was given a copy, and for whom its writer
  /// waited.
  std::map<std::uint64_t, std::string> bytes_;
  std::map<std::uint64_t, std::set<PeerInstance>> copies_;
  std::map<std::uint64_t, std::set<PeerInstance>> promised_;
  /// Those who have begun to change a version, and have not released.
  std::map<Fence, std::uint64_t> begun_;
  /// The newest version that each peer has heard of.
  std::map<PeerInstance, std::uint64_t> heard_;
  std::set<PeerInstance> gone_;
};

}  // namespace conch::sim
