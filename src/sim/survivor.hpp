// A peer that recovers, of any algorithm, behind one interface, so that the world of survivors is
// compiled once and not once per algorithm.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "recovery/steward.hpp"

namespace conch::sim {

/// A message between two peers, as the world sees it.
struct Parcel {
  /// Of a lock: the epoch in which it was sent, and whether it is a token.
  std::optional<Epoch> epoch;
  bool token = false;
  /// As it is printed, if somebody traces.
  std::string text;
  /// A recovery::Message of the algorithm.
  std::shared_ptr<const void> message;
};

struct Dispatch {
  recovery::Life to;
  std::shared_ptr<const Parcel> parcel;
};

/// What one call wants done: all dispatches, then the questions, then the events.
struct Wanted {
  std::vector<Dispatch> dispatches;
  std::vector<recovery::Ask> asks;
  std::vector<recovery::Event> events;
};

/// One life of one peer. Every call says what the peer's clock shows.
class Survivor {
 public:
  virtual ~Survivor() = default;

  virtual Wanted start(Time now) = 0;
  virtual Wanted tick(Time now) = 0;
  virtual Wanted answered(Time now, const recovery::Answer& answer) = 0;
  virtual Wanted watched(Time now) = 0;
  virtual Wanted receive(Time now, const recovery::Life& from, const Parcel& parcel) = 0;
  virtual Wanted timer(Time now, const recovery::LockArmed& armed) = 0;
  virtual Wanted silent(Time now, const recovery::Life& life, Duration unacknowledged) = 0;
  virtual Wanted suspect(Time now, const recovery::Life& life) = 0;
  virtual Wanted evict(Time now, const std::set<recovery::Life>& those) = 0;
  virtual Wanted request(Time now, const std::string& lock, const Wish& wish) = 0;
  virtual Wanted cancel(Time now, const std::string& lock) = 0;
  virtual Wanted release(Time now, const std::string& lock, const DataRef& data) = 0;
  virtual Wanted copied(Time now, const std::string& lock, const DataRef& data) = 0;
  virtual Wanted force_open(Time now, const std::string& lock) = 0;
  virtual Wanted relabel(Time now, const std::map<NodeId, std::string>& labels) = 0;
  virtual Wanted leave(Time now) = 0;
  virtual Wanted delay_locks(Time now, Duration lock_delay) = 0;
  /// See Participant.
  virtual void hold_fast(bool holds) = 0;

  /// See Participant.
  virtual std::size_t forget_idle() = 0;

  virtual Time wakes() const = 0;
  virtual bool has_lease(Time now) const = 0;
  virtual std::optional<Time> lease_until() const = 0;
  virtual recovery::Stage stage() const = 0;
  virtual const recovery::View& view() const = 0;
  virtual Epoch epoch() const = 0;
  virtual recovery::Doing doing(const std::string& lock) const = 0;
  /// It would like a new epoch before the fences of this one run out.
  virtual bool is_worn() const = 0;
  /// How many messages of epochs to come it keeps.
  virtual std::size_t early() const = 0;
};

struct SurvivorTraits {
  recovery::Member self;
  recovery::LeaseTerms lease;
  Tuning tuning;
  recovery::Rule without = recovery::Rule::none;
  /// See Charter.
  std::uint64_t entries_max = Fence::last_count / 2;
  /// Whether parcels are to be printed.
  bool traced = false;
};

std::unique_ptr<Survivor> make_survivor(const CatalogEntry& entry, const SurvivorTraits& traits);

}  // namespace conch::sim
