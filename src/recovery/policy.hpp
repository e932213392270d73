// The rules of recovery as overridable decisions. docs/checker.md shows that each is needed.
#pragma once

#include <map>

#include "recovery/messages.hpp"
#include "recovery/suspicion.hpp"

namespace conch::recovery {

class RecoveryPolicy {
 public:
  // Guests are on the roster before they are welcomed.
  /// Whether a view says anything new.
  virtual bool is_newer(const View& view, const View& than) const {
    return view.number > than.number;
  }
  /// The roster that a newcomer learns from a view.
  virtual Roster seen(Roster roster, const Member& /*newcomer*/, bool /*is_outside*/) const {
    return roster;
  }
  /// The part of a roster that the register knows of.
  virtual Roster registered(Roster roster) const { return roster; }

  // Epochs.
  /// Whether a message of another epoch is void; otherwise it is kept until that epoch begins.
  virtual bool is_void(Epoch told, Epoch now) const { return told < now; }
  /// A fence below all fences of an epoch.
  virtual Fence origin(Epoch epoch) const { return Fence(epoch, 0); }
  /// Whether exactly this life has reported.
  virtual bool has_reported(const std::map<PeerInstance, LockReports>& reports,
                            const PeerInstance& life) const {
    return reports.contains(life);
  }

  // Deciders.
  /// Whether a peer decides before the register has accepted its proposal.
  virtual bool decides_at_once() const { return false; }
  /// Whether a member also reports to another decider of the same epoch.
  virtual bool reports_to_rival(bool /*is_rival*/) const { return false; }
  virtual bool installs(bool is_due, bool /*is_installed*/) const { return is_due; }

  // Crowds.
  /// How long a view stands before it changes because several peers join or leave.
  virtual Duration view_pause(std::size_t members, const LeaseTerms& terms) const {
    return recovery::view_pause(members, terms);
  }
  /// Whether members are told the number of a view, and read it themselves.
  virtual bool summons(std::size_t members) const {
    constexpr std::size_t small_group = 16;
    return members > small_group;
  }

  // Leases.
  /// When a peer gives up, if its lease runs until `until`.
  virtual std::optional<Time> lapses_at(std::optional<Time> until) const { return until; }
  /// Whether an evicted peer holds nothing any more.
  virtual bool has_let_go(bool command_runs) const { return !command_runs; }
};

}  // namespace conch::recovery
