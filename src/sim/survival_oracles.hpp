// What a lock promises to peers that crash, are stopped and come back; and what a run must have
// seen to mean something.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "oracle/oracles.hpp"
#include "recovery/orders.hpp"
#include "sim/population.hpp"

namespace conch::sim {

/// `4#1`: the first life of peer 4.
std::string name_of(const recovery::Life& life);

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
};
inline constexpr std::size_t sighting_count = 24;
std::string_view word(Sighting sighting);
/// Whether an algorithm that can do this shows it in some hundred runs.
bool is_expected(Sighting sighting, const Capabilities& can);
using Sightings = std::array<std::uint64_t, sighting_count>;

class SurvivalOracles {
 public:
  using Life = recovery::Life;

  void entered(const Life& life, const recovery::Granted& granted, const Wish& wish);
  void left(const Life& life, std::optional<std::uint64_t> version);
  /// The bytes of what it found on entering are here.
  void copied(const Life& life);
  /// It does not hold the lock any more, and knows.
  void told_lost(const Life& life);
  /// It does not hold the lock any more: somebody has forced it open, by this epoch.
  void told_forced(const Life& life, Epoch by);
  /// Somebody is told that it has forced the lock open, by this epoch.
  void opened(const Life& life, Epoch by);
  void died(const Life& life) { inside_.erase(life); }
  /// Out of the group or dead: its data are nobody's.
  void gone(const Life& life) { gone_.insert(life); }
  bool is_inside(const Life& life) const { return inside_.contains(life); }

  /// Those inside whose leases have run out, as the world finds before somebody enters.
  void is_late(const Life& life) { inside_.at(life).late = true; }
  std::vector<Life> inside() const;

  void see(Sighting sighting) { ++sightings_[static_cast<std::size_t>(sighting)]; }
  const Sightings& sightings() const { return sightings_; }
  void report(Property property, std::string what);
  const std::optional<Violation>& violation() const { return violation_; }

 private:
  struct Holder {
    Fence fence;
    Wish wish;
    bool late = false;
  };
  /// A version of the data, and who has it.
  struct Written {
    std::uint64_t version = 0;
    std::set<Life> keepers;
  };

  void check_exclusion(const Life& life, Fence fence, const Wish& wish);
  void check_fence(const Life& life, Fence fence, const Wish& wish);
  void check_data(const Life& life, const recovery::Granted& granted);
  std::optional<Life> living_keeper(const Written& written) const;

  std::map<Life, Holder> inside_;
  /// Those inside after whose lease another has entered.
  std::set<Life> overtaken_;
  /// That was handed out.
  Fence largest_;
  /// What was released, oldest first.
  std::vector<Written> written_;
  std::set<Life> gone_;
  Sightings sightings_{};
  std::optional<Violation> violation_;
};

}  // namespace conch::sim
