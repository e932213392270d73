#include "sim/group_simulation_oracles.hpp"

#include <algorithm>

#include "core/print.hpp"
#include "node/overlay_group_settings.hpp"

namespace conch::sim {

using namespace recovery;

std::string name_of(const PeerInstance& life) {
  return std::to_string(life.id.value) + "#" +
         std::to_string(static_cast<std::uint64_t>(life.incarnation));
}

std::string name_of(const Actor& actor) {
  return name_of(actor.life) + "." + std::to_string(actor.number);
}

std::string_view word(Sighting sighting) {
  switch (sighting) {
    case Sighting::recovery_overlapped: return "a recovery overlapped another";
    case Sighting::decider_died: return "the decider died before it was done";
    case Sighting::proposal_refused: return "a proposal was refused";
    case Sighting::late_holder_told: return "a holder woke after its lease had ended and was told";
    case Sighting::woke_after_eviction: return "the old holder woke after eviction";
    case Sighting::token_in_flight: return "a token was in flight at the freeze";
    case Sighting::early_message: return "a message of the next epoch came early";
    case Sighting::holder_kept: return "a holder kept its lock across an epoch";
    case Sighting::released_while_frozen: return "a holder released while frozen";
    case Sighting::data_rolled_back: return "the newest data died with their holder";
    case Sighting::guest_came: return "a guest joined without a new epoch";
    case Sighting::member_left: return "a member left";
    case Sighting::joined_together: return "several peers joined with one view";
    case Sighting::left_together: return "several members left with one view";
    case Sighting::falsely_suspected: return "a living member was removed";
    case Sighting::usurped: return "two instances of one id ran at once";
    case Sighting::register_away: return "a lease ended because the register was unavailable";
    case Sighting::founded_again: return "the group became empty and was created again";
    case Sighting::readers_together: return "readers were inside together";
    case Sighting::lock_forgotten: return "a peer forgot an idle lock";
    case Sighting::holder_forced: return "a holder was told that its lock was forced open";
    case Sighting::lock_opened: return "a lock was forced open";
    case Sighting::epoch_worn: return "an epoch was renewed because its fences were running out";
    case Sighting::relabelled: return "members changed their clusters";
    case Sighting::command_ended: return "a command was waited for after its peer had gone";
    case Sighting::member_evicted: return "a member was evicted on request";
    case Sighting::lived_again: return "a removed process came back as a new instance";
    case Sighting::stayed_near: return "a lock was handed over within a peer";
    case Sighting::client_entered: return "a client entered";
    case Sighting::client_vanished: return "a client vanished with a lock, or while waiting";
    case Sighting::patience_ended: return "a wait timed out";
    case Sighting::left_while_wanted: return "a peer left while its locks were in use";
    case Sighting::data_inherited: return "data of a peer that left were inherited";
    case Sighting::data_streamed: return "data arrived from another machine";
    case Sighting::data_enclosed: return "data arrived together with their lock";
    case Sighting::memory_passed: return "memory was passed within a machine";
    case Sighting::memory_changed: return "memory changed while another process looked at it";
    case Sighting::copy_found: return "data were found at a peer other than the lock named";
    case Sighting::copies_spread: return "copies reached other peers before a lock was handed over";
    case Sighting::part_patched: return "a part of the data was changed where the rest stayed";
    case Sighting::data_torn: return "a caller was told that data are torn";
    case Sighting::data_lost: return "a caller was told that data are lost";
    case Sighting::data_saved: return "the last one to leave saved the data";
    case Sighting::data_restored: return "the first one to join restored them";
    case Sighting::transfer_cut: return "a transfer was interrupted";
    case Sighting::asked_for_another: return "a peer asked the register for another";
    case Sighting::channel_broke: return "a channel broke between two peers that continued";
    case Sighting::holder_shown: return "a client was told who holds a lock";
    case Sighting::group_surveyed: return "the group was asked who holds what";
    case Sighting::lock_delay_counted: return "a lock delay was waited for";
    case Sighting::client_turned_away: return "a client was turned away";
    case Sighting::client_stopped: return "a client was stopped when its peer left";
    case Sighting::disk_full: return "the register could not be written";
    case Sighting::everybody_left: return "all peers left at the end";
    case Sighting::connection_cut: return "a connection broke with bytes in flight";
    case Sighting::wrote_in_parts: return "a connection accepted only part of a write";
    case Sighting::severed: return "two peers no longer heard each other";
    case Sighting::machine_died: return "a machine died with all its peers";
    case Sighting::machine_slept: return "a machine slept with all its peers";
    case Sighting::socket_made_again: return "a removed socket was created again";
    case Sighting::descriptors_lacking: return "a peer could neither open nor accept connections";
    case Sighting::sites_found: return "the members measured their distances";
    case Sighting::nonsense_heard: return "a peer sent a malformed message";
    case Sighting::babbler_put_out: return "and was removed";
    case Sighting::stranger_refused: return "a peer that was started for another group was refused";
    case Sighting::client_sent_away: return "a client that sent malformed messages was dismissed";
    case Sighting::withdrew_meanwhile: return "a waiter gave up on a long holder";
    case Sighting::refused_in_time: return "a client was refused in time";
    case Sighting::data_resized: return "a writer changed the size of the data";
    case Sighting::data_emptied: return "a writer emptied the data";
  }
  return "?";
}

bool is_expected(Sighting sighting, const CatalogEntry& entry) {
  const Capabilities& can = entry.can;
  if (node::find_routed(entry.about.name)) {
    constexpr std::array of_rings{Sighting::late_holder_told,  Sighting::member_left,
                                  Sighting::stayed_near,       Sighting::patience_ended,
                                  Sighting::left_while_wanted, Sighting::everybody_left,
                                  Sighting::withdrew_meanwhile};
    return std::find(of_rings.begin(), of_rings.end(), sighting) != of_rings.end();
  }
  if (sighting == Sighting::withdrew_meanwhile || sighting == Sighting::refused_in_time)
    return entry.about.promises_progress;
  if (sighting == Sighting::guest_came) return can.dynamic;
  if (sighting == Sighting::readers_together) return can.shared;
  if (sighting == Sighting::token_in_flight) return can.token;
  constexpr std::array rare{Sighting::lock_forgotten, Sighting::copy_found,
                            Sighting::data_restored};
  if (std::find(rare.begin(), rare.end(), sighting) != rare.end()) return false;
  return true;
}

void RunFindings::report(Property property, std::string what) {
  if (!violation_) violation_ = Violation{property, std::move(what)};
}

Entries LockOracle::inside() const {
  Entries all;
  for (const auto& [actor, holder] : inside_) all[actor] = holder.entry;
  return all;
}

void LockOracle::entered(const Actor& actor, const Baton& baton, const Wish& wish,
                         bool is_rolled_back) {
  if (last_ == actor.life) see(Sighting::stayed_near);
  last_ = actor.life;
  check_exclusion(actor, baton.fence, wish);
  check_fence(actor, baton.fence, wish);
  found(actor, baton.data, is_rolled_back);
  inside_[actor] = {baton.fence, wish, ++entries_};
}

void LockOracle::shown(const PeerInstance& life, std::uint64_t fence) {
  see(Sighting::holder_shown);
  auto found = granted_.find(fence);
  if (found != granted_.end() && found->second.contains(life)) return;
  report(Property::mutual_exclusion, name_of(life) + " is said to hold the lock with fence " +
                                         std::to_string(fence) +
                                         ", with which it was never let in");
}

/// No claim need wait for a late holder, but the later fence must be greater.
void LockOracle::check_exclusion(const Actor& actor, Fence fence, const Wish& wish) {
  for (const auto& [other, holder] : inside_) {
    if (!wish.conflicts(holder.wish)) {
      if (!holder.late) see(Sighting::readers_together);
      continue;
    }
    if (holder.late && holder.fence < fence) {
      overtaken_.insert(other);
      continue;
    }
    report(Property::mutual_exclusion,
           name_of(actor) + " enters with fence " + print(fence) + " while " + name_of(other) +
               " is inside with " + print(holder.fence) +
               (holder.late ? ", late but with a fence that is not smaller" : ""));
  }
}

/// A writer's fence is greater than all before it; readers may share one, but none goes back.
void LockOracle::check_fence(const Actor& actor, Fence fence, const Wish& wish) {
  bool fine = wish.mode == Mode::write ? largest_ < fence : largest_ <= fence;
  if (!fine)
    report(Property::fences,
           name_of(actor) + " gets fence " + print(fence) + " after " + print(largest_));
  largest_ = std::max(largest_, fence);
}

/// The data are those released last, unless all peers are gone that had them; or those of a writer
/// that was gone after it had written, and before it released.
void LockOracle::found(const Actor& actor, const DataRef& data, bool is_rolled_back) {
  std::uint64_t version = data.version;
  bool is_older = !written_.empty() && written_.back() > version;
  if (is_older) {
    see(Sighting::data_rolled_back);
    if (!is_rolled_back) check_told(actor, written_.back(), version);
    check_promise(actor, written_.back(), version);
  }
  for (; !written_.empty() && written_.back() > version; written_.pop_back())
    check_loss(actor, written_.back(), version);
  bool is_end = data.size == 0 && has_ended_;
  bool is_released = !written_.empty() && written_.back() == version;
  heard_[actor.life] = std::max(heard_[actor.life], version);
  if (version == 0 || is_released) return;
  if (!is_end && !bytes_.contains(version))
    report(Property::data,
           name_of(actor) + " finds version " + std::to_string(version) + ", which no holder left");
  written_.push_back(version);
}

/// A peer that has heard of data that are lost tells the others.
void LockOracle::check_told(const Actor& actor, std::uint64_t lost, std::uint64_t found) {
  for (const auto& [life, newest] : heard_)
    if (newest >= lost && !gone_.contains(life))
      report(Property::data, name_of(actor) + " finds version " + std::to_string(found) +
                                 ", and is not told of version " + std::to_string(lost) +
                                 ", of which " + name_of(life) + " has heard");
}

/// A version is lost only if no living peer has it.
void LockOracle::check_loss(const Actor& actor, std::uint64_t version, std::uint64_t found) {
  for (const PeerInstance& life : copies_[version])
    if (!gone_.contains(life) && has_newest_(life, version))
      report(Property::data, name_of(actor) + " finds version " + std::to_string(found) + ", but " +
                                 name_of(life) + " has version " + std::to_string(version));
}

void LockOracle::check_promise(const Actor& actor, std::uint64_t lost, std::uint64_t found) {
  for (const PeerInstance& life : promised_[lost])
    if (!gone_.contains(life))
      report(Property::data, name_of(actor) + " finds version " + std::to_string(found) + ", but " +
                                 name_of(life) + " was to have a copy of version " +
                                 std::to_string(lost));
}

void LockOracle::found_torn(const Actor& actor, std::uint64_t version) {
  bool is_torn = std::any_of(begun_.begin(), begun_.end(),
                             [&](const auto& each) { return each.second == version; });
  if (!is_torn)
    report(Property::data, name_of(actor) + " is told that version " + std::to_string(version) +
                               " is torn, which no holder had begun to change");
}

void LockOracle::told_rolled_back(const Actor& actor, std::uint64_t version) {
  if (bytes_.upper_bound(version) == bytes_.end())
    report(Property::data, name_of(actor) + " is told that newer data than version " +
                               std::to_string(version) + " were lost, and there were none");
}

void LockOracle::found_size(const Actor& actor, std::uint64_t version, std::uint64_t size) {
  auto written = bytes_.find(version);
  bool is_same = written != bytes_.end() && written->second.size() == size;
  if (!is_same)
    report(Property::data, name_of(actor) + " is given version " + std::to_string(version) +
                               " with another size than it has");
}

void LockOracle::found_bytes(const Actor& actor, std::uint64_t version, std::uint64_t begin,
                             const std::string& bytes) {
  auto written = bytes_.find(version);
  bool is_same = written != bytes_.end() && written->second.substr(begin, bytes.size()) == bytes;
  if (!is_same)
    report(Property::data, name_of(actor) + " is given other bytes than those of version " +
                               std::to_string(version));
}

void LockOracle::patches(const PeerInstance& keeper, std::uint64_t before, const DataRef& data,
                         std::uint64_t begin, const std::string& bytes) {
  std::string whole = bytes_[before];
  whole.resize(data.size);
  offers(keeper, data.version, whole.replace(begin, bytes.size(), bytes));
}

void LockOracle::departed(const PeerInstance& life, std::uint64_t version, bool is_elsewhere) {
  bool is_newest = !written_.empty() && written_.back() == version;
  const std::set<PeerInstance>& given = copies_[version];
  bool was_given = std::any_of(given.begin(), given.end(),
                               [&](const PeerInstance& other) { return other != life; });
  if (is_newest && !was_given && !is_elsewhere)
    report(Property::data, name_of(life) + " has left, and version " + std::to_string(version) +
                               " was nowhere else");
}

void LockOracle::promised(const Actor& actor, std::uint64_t version, unsigned copies,
                          const recovery::Roster& roster) {
  std::set<PeerInstance>& keepers = promised_[version];
  for (const PeerInstance& life : copies_[version])
    if (roster.contains(life) && life != actor.life) keepers.insert(life);
  std::size_t wanted = std::min<std::size_t>(copies, roster.size() - 1);
  if (keepers.size() < wanted)
    report(Property::data, name_of(actor) + " releases version " + std::to_string(version) +
                               " with " + std::to_string(keepers.size()) + " copies of " +
                               std::to_string(wanted));
}

void LockOracle::told_lost(const Actor& actor) {
  if (inside_.erase(actor) == 0) return;
  see(Sighting::late_holder_told);
  if (overtaken_.contains(actor)) see(Sighting::woke_after_eviction);
}

void LockOracle::told_forced(const Actor& actor, Epoch by) {
  auto holder = inside_.find(actor);
  bool forced = holder != inside_.end() && holder->second.fence.epoch() < by;
  if (!forced)
    return report(Property::mutual_exclusion,
                  name_of(actor) + " has lost a lock that was not forced open");
  inside_.erase(holder);
  see(Sighting::holder_forced);
}

void LockOracle::opened(const Entries& inside_before) {
  see(Sighting::lock_opened);
  for (const auto& [actor, holder] : inside_) {
    auto before = inside_before.find(actor);
    bool is_same = before != inside_before.end() && before->second == holder.entry;
    if (is_same && !holder.late)
      report(Property::mutual_exclusion, "a client was told that the lock was forced open, but " +
                                             name_of(actor) + " is still inside with " +
                                             print(holder.fence));
  }
}

void LockOracle::left(const Actor& actor, const std::optional<DataRef>& written) {
  inside_.erase(actor);
  if (!written) return;
  if (written->size == 0) offers(actor.life, written->version, "");
  if (!bytes_.contains(written->version))
    report(Property::data, name_of(actor) + " leaves version " + std::to_string(written->version) +
                               ", which no holder wrote");
  written_.push_back(written->version);
  heard_[actor.life] = written->version;
}

void LockOracle::died(const PeerInstance& life) {
  std::erase_if(inside_, [&](const auto& each) { return each.first.life == life; });
  gone(life);
}

}  // namespace conch::sim
