// One life of a peer in its group, with a register (leased_member.hpp) or without one
// (node/overlay_member.hpp). Messages of other peers come as bytes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "recovery/effects.hpp"
#include "recovery/view_protocol.hpp"

namespace conch::recovery {

/// The result of reading a payload.
struct Intake {
  /// What is wrong with the payload; empty if nothing is.
  std::string fault = {};
  /// The payload broke an invariant: this life of the peer must end.
  bool fatal = false;
  /// The lock that the message is about, if any.
  std::optional<std::string> lock = {};
  /// The name of the message.
  std::string_view type = {};
};

class GroupMember {
 public:
  using Out = Effects;

  virtual ~GroupMember() = default;

  /// Starts to join the group.
  virtual void start(Out& out) = 0;
  /// Must be called when `wakes` is reached; earlier calls do no harm.
  virtual void tick(Out& out) = 0;
  /// The time of the next timeout; Time::max() once the peer is out.
  virtual Time wakes() const = 0;
  /// Handles a payload without its first byte, which gave its kind.
  virtual Intake receive(const PeerInstance& from, std::string_view payload, Out& out) = 0;
  /// This life has left a message unacknowledged for that long.
  virtual void silent(const PeerInstance& life, Duration unacknowledged, Out& out) = 0;
  /// The caller suspects this life; it should be evicted.
  virtual void suspect(const PeerInstance& life, Out& out) = 0;

  // Calls of the process. They return false if the lease has run out; the process has then been
  // told.

  virtual bool request(const std::string& lock, const Wish& wish, Out& out) = 0;
  virtual bool cancel(const std::string& lock, Out& out) = 0;
  /// `data` counts only if the lock was held to write.
  virtual bool release(const std::string& lock, const DataRef& data, Out& out) = 0;
  /// Precondition: the process neither holds nor waits. Ends in Departed or Expelled.
  virtual void leave(Out& out) = 0;
  /// Forgets locks whose state equals that of an unused lock; returns how many.
  virtual std::size_t forget_idle(Time now) = 0;

  // Queries.

  /// Whether the view lists all members; otherwise this peer knows only its neighbours.
  virtual bool has_roster() const = 0;
  virtual const View& view() const = 0;
  virtual ViewStage stage() const = 0;
  virtual bool has_lease(Time now) const = 0;
  virtual std::vector<LockReport> reports(Time now) const = 0;

  // Only for groups with a register.

  virtual void answered(const RegisterAnswer&, Out&) {}
  /// The register has changed.
  virtual void watched(Out&) {}
  /// The bytes of these data are now stored here.
  virtual void copied(const std::string& /*lock*/, const DataRef&, Out&) {}
  virtual void timer(const std::string& /*lock*/, Epoch, TimerId, Out&) {}
  /// Sets the lives to evict for an operator; replaces the previous set. The peer proposes their
  /// eviction until they are out, whatever other views are accepted meanwhile.
  virtual void evict(const std::set<PeerInstance>&, Out&) {}
  /// Gives the members these labels, by a new epoch.
  virtual void relabel(const std::map<NodeId, std::string>&, Out&) {}
  /// Takes the lock from its holder by a new epoch; ends in Opened or Expelled. False if this peer
  /// is not in the group.
  virtual bool force_open(const std::string& /*lock*/, Out&) { return false; }
  /// After this peer's lease has ended nobody may enter for this long, unless it is known to have
  /// released. The register stores the delay; a renewal that carries it is sent at once.
  virtual void delay_locks(Duration, Out&) {}
  /// The delay that the register has confirmed.
  virtual Duration recorded_lock_delay() const { return {}; }
  /// See ViewProtocol::hold_fast.
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
  /// For inspection; null without a register.
  virtual const ViewProtocol* view_protocol() const { return nullptr; }
};

}  // namespace conch::recovery
