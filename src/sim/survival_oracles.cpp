#include "sim/survival_oracles.hpp"

#include <algorithm>

#include "core/print.hpp"
#include "node/agreement.hpp"

namespace conch::sim {

using namespace recovery;

std::string name_of(const Life& life) {
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
    case Sighting::late_holder_told: return "a holder woke after its lease and was told";
    case Sighting::woke_after_eviction: return "the old holder woke after eviction";
    case Sighting::token_in_flight: return "a token was in flight at the freeze";
    case Sighting::early_message: return "a message of the next epoch came early";
    case Sighting::holder_kept: return "a holder kept its lock across an epoch";
    case Sighting::released_while_frozen: return "a holder released while frozen";
    case Sighting::data_rolled_back: return "the newest data died with their holder";
    case Sighting::guest_came: return "a guest came without a new epoch";
    case Sighting::member_left: return "a member left";
    case Sighting::falsely_suspected: return "a living member was put out";
    case Sighting::usurped: return "two lives of one id ran at once";
    case Sighting::register_away: return "a lease ran out because the register was away";
    case Sighting::founded_again: return "the group was empty and founded again";
    case Sighting::readers_together: return "readers were inside together";
    case Sighting::lock_forgotten: return "a peer forgot an idle lock";
    case Sighting::holder_forced: return "a holder was told that its lock was forced open";
    case Sighting::lock_opened: return "a lock was forced open";
    case Sighting::epoch_worn: return "an epoch was renewed because its fences ran high";
    case Sighting::relabelled: return "members changed their clusters";
    case Sighting::command_ended: return "a command was waited for after its peer was gone";
    case Sighting::member_evicted: return "a member was evicted at somebody's wish";
    case Sighting::lived_again: return "a process that was put out came back as a new life";
    case Sighting::stayed_near: return "a lock went on within a peer";
    case Sighting::client_entered: return "a client entered";
    case Sighting::client_vanished: return "a client vanished with a lock, or in line";
    case Sighting::patience_ended: return "somebody's patience ended";
    case Sighting::left_while_wanted: return "a peer left while its locks were in use";
    case Sighting::data_inherited: return "data of one that left were inherited";
    case Sighting::asked_for_another: return "a peer asked the register for another";
    case Sighting::channel_broke: return "a channel broke between two that went on";
    case Sighting::group_surveyed: return "the group was asked who holds what";
    case Sighting::lock_delay_counted: return "a lock delay was waited for";
    case Sighting::client_turned_away: return "a client was turned away";
    case Sighting::disk_full: return "the register could not be written";
    case Sighting::everybody_left: return "everybody left at the end";
    case Sighting::connection_cut: return "a connection broke with bytes on their way";
    case Sighting::wrote_in_parts: return "a connection took less than it was given";
    case Sighting::severed: return "two heard one another no more";
  }
  return "?";
}

bool is_expected(Sighting sighting, const CatalogEntry& entry) {
  const Capabilities& can = entry.can;
  if (node::find_routed(entry.about.name)) {
    constexpr std::array of_rings{Sighting::late_holder_told,  Sighting::member_left,
                                  Sighting::stayed_near,       Sighting::patience_ended,
                                  Sighting::left_while_wanted, Sighting::everybody_left};
    return std::find(of_rings.begin(), of_rings.end(), sighting) != of_rings.end();
  }
  if (sighting == Sighting::guest_came) return can.dynamic;
  if (sighting == Sighting::readers_together) return can.shared;
  if (sighting == Sighting::token_in_flight) return can.token;
  if (sighting == Sighting::lock_forgotten) return false;  // too rarely, and some never
  return true;
}

void Findings::report(Property property, std::string what) {
  if (!violation_) violation_ = Violation{property, std::move(what)};
}

Entries LockOracle::inside() const {
  Entries all;
  for (const auto& [actor, holder] : inside_) all[actor] = holder.entry;
  return all;
}

void LockOracle::entered(const Actor& actor, const Baton& baton, const Wish& wish) {
  if (last_ == actor.life) see(Sighting::stayed_near);
  last_ = actor.life;
  check_exclusion(actor, baton.fence, wish);
  check_fence(actor, baton.fence, wish);
  check_data(actor, baton.data.version);
  inside_[actor] = {baton.fence, wish, ++entries_};
}

/// A late holder is one that nobody need wait for; but its fence must give it away.
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

/// A writer's is larger than all before it; a reader's may be shared, but does not go back.
void LockOracle::check_fence(const Actor& actor, Fence fence, const Wish& wish) {
  bool fine = wish.mode == Mode::write ? largest_ < fence : largest_ <= fence;
  if (!fine)
    report(Property::fences,
           name_of(actor) + " gets fence " + print(fence) + " after " + print(largest_));
  largest_ = std::max(largest_, fence);
}

/// The data are those released last, unless everybody is gone who had them.
void LockOracle::check_data(const Actor& actor, std::uint64_t found) {
  if (!written_.empty() && written_.back().version != found) see(Sighting::data_rolled_back);
  for (; !written_.empty() && written_.back().version != found; written_.pop_back()) {
    const Written& newest = written_.back();
    if (std::optional<Life> keeper = living_keeper(newest))
      return report(Property::data, name_of(actor) + " finds version " + std::to_string(found) +
                                        ", but " + name_of(*keeper) + " has version " +
                                        std::to_string(newest.version));
  }
  if (written_.empty() && found != 0)
    report(Property::data,
           name_of(actor) + " finds version " + std::to_string(found) + ", which nobody has left");
}

std::optional<recovery::Life> LockOracle::living_keeper(const Written& written) const {
  for (const Life& keeper : written.keepers)
    if (!gone_.contains(keeper)) return keeper;
  return std::nullopt;
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
                  name_of(actor) + " has lost a lock that nobody had forced open");
  inside_.erase(holder);
  see(Sighting::holder_forced);
}

void LockOracle::opened(const Entries& inside_before) {
  see(Sighting::lock_opened);
  for (const auto& [actor, holder] : inside_) {
    auto before = inside_before.find(actor);
    bool is_same = before != inside_before.end() && before->second == holder.entry;
    if (is_same && !holder.late)
      report(Property::mutual_exclusion,
             "somebody was told that the lock has been forced open, but " + name_of(actor) +
                 " is still inside with " + print(holder.fence));
  }
}

void LockOracle::copied(const Life& life, std::uint64_t version) {
  for (Written& written : written_)
    if (written.version == version) written.keepers.insert(life);
}

void LockOracle::left(const Actor& actor, std::optional<std::uint64_t> version) {
  inside_.erase(actor);
  if (version) written_.push_back({*version, {actor.life}});
}

void LockOracle::died(const Life& life) {
  std::erase_if(inside_, [&](const auto& each) { return each.first.life == life; });
  gone(life);
}

}  // namespace conch::sim
