// One life of a peer in its group, with a register (steward.hpp) or without
// (node/overlay_steward.hpp). What others say comes as bytes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "recovery/effects.hpp"
#include "recovery/participant.hpp"

namespace conch::recovery {

/// The result of reading a payload.
struct Intake {
  /// What is wrong with it, if something is.
  std::string fault = {};
  /// It broke an invariant: this life of the peer can be used no longer.
  bool fatal = false;
  /// The lock that it speaks of, if any.
  std::optional<std::string> lock = {};
  /// What its message is called.
  std::string_view type = {};
};

class AnySteward {
 public:
  using Out = Effects;

  virtual ~AnySteward() = default;

  /// The peer wants to be in the group.
  virtual void start(Out& out) = 0;
  /// To be called when `wakes` has come, if not earlier.
  virtual void tick(Out& out) = 0;
  /// When something is due, if nothing else happens; never, once the peer is out.
  virtual Time wakes() const = 0;
  /// What a payload says after its first byte.
  virtual Intake receive(const Life& from, std::string_view payload, Out& out) = 0;
  /// This one has left something unacknowledged for so long.
  virtual void silent(const Life& life, Duration unacknowledged, Out& out) = 0;
  /// This one should be put out, for whatever reason.
  virtual void suspect(const Life& life, Out& out) = 0;

  // The process. False if the lease has run out: it has been told.

  virtual bool request(const std::string& lock, const Wish& wish, Out& out) = 0;
  virtual bool cancel(const std::string& lock, Out& out) = 0;
  /// The data count only if the lock was held to write.
  virtual bool release(const std::string& lock, const DataRef& data, Out& out) = 0;
  /// Its process neither holds nor waits; ends in Departed, or Expelled.
  virtual void leave(Out& out) = 0;
  /// Forgets the locks that are as if nobody had used them yet; how many.
  virtual std::size_t forget_idle(Time now) = 0;

  // What is known.

  /// Whether the view lists all members; else this peer knows its neighbours.
  virtual bool has_roster() const = 0;
  virtual const View& view() const = 0;
  virtual Stage stage() const = 0;
  virtual bool has_lease(Time now) const = 0;
  virtual std::vector<LockReport> reports(Time now) const = 0;

  // With a register only.

  virtual void answered(const Answer&, Out&) {}
  /// The register has something new.
  virtual void watched(Out&) {}
  /// The bytes of these data are here now.
  virtual void copied(const std::string& /*lock*/, const DataRef&, Out&) {}
  virtual void timer(const std::string& /*lock*/, Epoch, TimerId, Out&) {}
  /// Those, and no others any more, are to be put out because somebody wants it: proposed until
  /// they are, whatever else happens to the view meanwhile.
  virtual void evict(const std::set<Life>&, Out&) {}
  /// The members should have these labels, from now on and by a new epoch.
  virtual void relabel(const std::map<NodeId, std::string>&, Out&) {}
  /// Whoever holds the lock loses it, by a new epoch; ends in Opened, or Expelled. False if this
  /// peer is not in the group.
  virtual bool force_open(const std::string& /*lock*/, Out&) { return false; }
  /// Nobody may enter for so long after this peer's lease, if nobody knows that it has let go. The
  /// register remembers it: a renewal that carries it is sent at once.
  virtual void delay_locks(Duration, Out&) {}
  /// What it remembers for certain.
  virtual Duration recorded_lock_delay() const { return {}; }
  /// See Participant.
  virtual void hold_fast(bool) {}
  virtual bool holds_fast() const { return false; }
  virtual std::optional<Time> lease_until() const { return std::nullopt; }
  virtual Epoch epoch() const { return Epoch{0}; }
  /// Members whose leases are known to have ended.
  virtual std::vector<NodeId> dead() const { return {}; }
  virtual bool has_token(const std::string& /*lock*/) const { return false; }
  /// For a lock that is held here: false if the algorithm knows that no other peer waits for it.
  virtual bool may_be_wanted(const std::string& /*lock*/) const { return true; }
  /// The newest data of the lock that this peer knows of.
  virtual DataRef known_data(const std::string& /*lock*/) const { return {}; }
  /// To look at.
  virtual const Participant* participant() const { return nullptr; }
};

}  // namespace conch::recovery
