#include "sim/survival_oracles.hpp"

#include <algorithm>

#include "core/print.hpp"

namespace conch::sim {

using namespace recovery;

std::string name_of(const Life& life) {
  return std::to_string(life.id.value) + "#" +
         std::to_string(static_cast<std::uint64_t>(life.incarnation));
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
  }
  return "?";
}

bool is_expected(Sighting sighting, const Capabilities& can) {
  if (sighting == Sighting::guest_came) return can.dynamic;
  if (sighting == Sighting::readers_together) return can.shared;
  if (sighting == Sighting::token_in_flight) return can.token;
  if (sighting == Sighting::lock_forgotten) return false;  // too rarely, and some never
  return true;
}

void SurvivalOracles::report(Property property, std::string what) {
  if (!violation_) violation_ = Violation{property, std::move(what)};
}

std::vector<Life> SurvivalOracles::inside() const {
  std::vector<Life> all;
  for (const auto& [life, holder] : inside_) all.push_back(life);
  return all;
}

void SurvivalOracles::entered(const Life& life, const Granted& granted, const Wish& wish) {
  Fence fence = granted.baton.fence;
  check_exclusion(life, fence, wish);
  check_fence(life, fence, wish);
  check_data(life, granted);
  inside_[life] = {fence, wish, false};
}

/// A late holder is one that nobody need wait for; but its fence must give it away.
void SurvivalOracles::check_exclusion(const Life& life, Fence fence, const Wish& wish) {
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
           name_of(life) + " enters with fence " + print(fence) + " while " + name_of(other) +
               " is inside with " + print(holder.fence) +
               (holder.late ? ", late but with a fence that is not smaller" : ""));
  }
}

/// A writer's is larger than all before it; a reader's may be shared, but does not go back.
void SurvivalOracles::check_fence(const Life& life, Fence fence, const Wish& wish) {
  bool fine = wish.mode == Mode::write ? largest_ < fence : largest_ <= fence;
  if (!fine)
    report(Property::fences,
           name_of(life) + " gets fence " + print(fence) + " after " + print(largest_));
  largest_ = std::max(largest_, fence);
}

/// The data are those released last, unless everybody is gone who had them.
void SurvivalOracles::check_data(const Life& life, const Granted& granted) {
  std::uint64_t found = granted.baton.data.version;
  if (!written_.empty() && written_.back().version != found) see(Sighting::data_rolled_back);
  for (; !written_.empty() && written_.back().version != found; written_.pop_back()) {
    const Written& newest = written_.back();
    if (std::optional<Life> keeper = living_keeper(newest))
      return report(Property::data, name_of(life) + " finds version " + std::to_string(found) +
                                        ", but " + name_of(*keeper) + " has version " +
                                        std::to_string(newest.version));
  }
  if (written_.empty() && found != 0)
    report(Property::data,
           name_of(life) + " finds version " + std::to_string(found) + ", which nobody has left");
}

std::optional<Life> SurvivalOracles::living_keeper(const Written& written) const {
  for (const Life& keeper : written.keepers)
    if (!gone_.contains(keeper)) return keeper;
  return std::nullopt;
}

void SurvivalOracles::told_lost(const Life& life) {
  if (inside_.erase(life) == 0) return;
  see(Sighting::late_holder_told);
  if (overtaken_.contains(life)) see(Sighting::woke_after_eviction);
}

void SurvivalOracles::told_forced(const Life& life, Epoch by) {
  auto holder = inside_.find(life);
  bool forced = holder != inside_.end() && holder->second.fence.epoch() < by;
  if (!forced)
    return report(Property::mutual_exclusion,
                  name_of(life) + " has lost a lock that nobody had forced open");
  inside_.erase(holder);
  see(Sighting::holder_forced);
}

void SurvivalOracles::opened(const Life& life, Epoch by) {
  see(Sighting::lock_opened);
  for (const auto& [other, holder] : inside_)
    if (!holder.late && holder.fence.epoch() < by)
      report(Property::mutual_exclusion, name_of(life) + " has forced the lock open by epoch " +
                                             std::to_string(by.value) + ", but " + name_of(other) +
                                             " is inside with " + print(holder.fence));
}

void SurvivalOracles::copied(const Life& life) {
  if (!written_.empty()) written_.back().keepers.insert(life);
}

void SurvivalOracles::left(const Life& life, std::optional<std::uint64_t> version) {
  inside_.erase(life);
  if (version) written_.push_back({*version, {life}});
}

}  // namespace conch::sim
