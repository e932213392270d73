// A peer's part in its group: it joins, uses any number of locks, and leaves. When a member
// crashes, it recovers the locks together with the others.
//
// Assumes a register that decides views one after the other, and links between two lives that
// deliver exactly once and in order until they stop for good. It has no clock: the group member
// (leased_member.hpp) watches its lease, and makes every call while that holds, or calls `lapse`.
//
// State: `view` is the newest view it knows, `epoch` the one its locks run in. While the view's
// epoch is newer, the locks are frozen.
//
//   TOLD(lock, epoch, message)  a message of a lock's algorithm; void if the epoch is over, kept
//                               if it has not begun here
//
// A new epoch: a peer sees that a lease has ended and proposes a view without that member. If the
// register accepts the view, that peer is the decider of the epoch.
//
//   FREEZE(view)                decider to all: the view is this; stop
//   REPORT(epoch, locks)        to the decider: I have stopped; I hold and wait for these
//   INSTALL(epoch, locks)       decider to all, when all on the roster have reported and the leases
//                               of all evicted lives have ended: continue like this
//   INSTALLED(epoch)            to the decider
//
// If the decider dies, its lease ends as well, and another epoch begins. A peer that has already
// installed then reports the state of an epoch that others may never see.
//
// A token that nobody reports was in flight; it is created anew. A peer that has reported does not
// enter in the old epoch, so it cannot take what another was given. A holder keeps its lock and may
// release meanwhile.
//
// A lock is forced open by a view that begins an epoch and names the lock. A peer that adopts the
// view and holds the lock with a fence of an older epoch lets go before it reports. The name stays
// in later views, for peers that missed this one, until a peer proposes that works in the name's
// epoch or a later one. That peer works because all members have reported to that epoch, or
// welcomed it there, and so have adopted a view with the name.
//
// A newcomer to an algorithm with dynamic membership is a guest in the current epoch. The register
// puts it on the roster first; then it must tell every member.
//
//   HELLO(view)                 guest to all: I am on the roster
//   WELCOME                     to the guest: I know, and so do my locks
//
// Where a view is large, both say only which one it is, and each member reads it from the register:
// one sender would have to send the square of the group.
//
//   SUMMONS(view)               decider or guest to all: the register has a view of this number
//
// Other newcomers join by a new epoch, and every member leaves by one; they decide that epoch
// themselves. Homes are founders: if one left within an epoch, an unused lock could get two tokens.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recovery/effects.hpp"
#include "recovery/home.hpp"
#include "recovery/lock.hpp"
#include "recovery/policy.hpp"
#include "recovery/proposals.hpp"

namespace conch::recovery {

enum class ViewStage : std::uint8_t {
  outside,   // not on the roster yet
  greeting,  // a guest that some members have not welcomed
  working,
  frozen,   // an epoch has ended and the next has not begun
  leaving,  // off the roster, but deciding for the others
  out,
};
constexpr std::string_view word(ViewStage stage) {
  switch (stage) {
    case ViewStage::outside: return "outside";
    case ViewStage::greeting: return "greeting";
    case ViewStage::working: return "working";
    case ViewStage::frozen: return "frozen";
    case ViewStage::leaving: return "leaving";
    case ViewStage::out: return "out";
  }
  return "?";
}

/// The settings on which all peers of a group agree.
struct Charter {
  /// An algorithm's name in the catalogue, and its implementation.
  std::string algorithm;
  const AnyAlgorithm* runs = nullptr;
  Tuning tuning;
  /// The production policy, except in tests.
  const RecoveryPolicy* policy = conch::policy<RecoveryPolicy>();
  /// After this many entries of one lock the next epoch is due, so a fence's count cannot overflow.
  std::uint64_t entries_max = Fence::last_count / 2;
  /// Refuses a group whose eps differs from the tuning's; otherwise takes over the group's eps.
  bool insists_on_eps = false;
  friend bool operator==(const Charter&, const Charter&) = default;
};

class ViewProtocol {
 public:
  using Out = Effects;

  ViewProtocol(Member self, Charter charter)
      : self_(self.life()), newcomer_(std::move(self)), charter_(std::move(charter)) {}

  // Calls about the register: which view to propose, if any, and what the register has answered.

  /// A view with this peer as a member, and with those that wait with it. `known` may be newer than
  /// what `learn` has seen.
  View admission(const RegisterSnapshot& known, const std::vector<Newcomer>& waiting = {}) const;
  /// The next view without the members whose leases have ended and those in `wanted`. None if there
  /// are no such members and no epoch waits for a decider whose lease has ended.
  std::optional<View> eviction(const std::set<PeerInstance>& wanted = {}) const;
  /// The next view without a suspect, whether its lease has ended or not; none unless both are
  /// members.
  std::optional<View> eviction_of(const PeerInstance& suspect) const;
  /// The next view with the same members, which forces these locks open; none unless this peer
  /// works.
  std::optional<View> renewal(const std::vector<std::string>& locks) const;
  /// The next view with these labels; none unless one of them is new and this peer works.
  std::optional<View> relabelling(const std::map<NodeId, std::string>& labels) const;
  /// The next view without this peer and those that wait to leave with it. Precondition: its
  /// process neither holds nor waits.
  View departure(const std::vector<PeerInstance>& waiting = {}) const;
  /// Takes in a view from the register, however it came.
  void learn(const RegisterSnapshot& snapshot, Out& out);

  void receive(const PeerInstance& from, const Message& message, Out& out);
  void timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out);
  /// The lease has run out. Nothing else may be called afterwards.
  void lapse(Out& out) { expel(out); }
  /// Gives up joining a group that does not fit. Nothing else may be called afterwards.
  void stay_out(std::string why, Out& out);

  // Calls of the process. Requests wait while the peer is not working.
  void request(const std::string& lock, const Wish& wish, Out& out);
  void cancel(const std::string& lock, Out& out);
  void release(const std::string& lock, const DataRef& data, Out& out);
  /// The bytes of these data are now stored here.
  void copied(const std::string& lock, const DataRef& data, Out& out);
  /// Forgets locks whose state equals that of an unused lock; returns how many.
  std::size_t forget_idle();
  /// Says whether a command may keep running for a while, within the lease, after its lock is lost.
  /// If so, an evicted peer does not report that it has let go, and the others wait for the end of
  /// its lease.
  void hold_fast(bool holds) { holds_fast_ = holds; }
  bool holds_fast() const { return holds_fast_; }

  const PeerInstance& self() const { return self_; }
  const Charter& charter() const { return charter_; }
  ViewStage stage() const { return stage_; }
  const View& view() const { return view_; }
  Epoch epoch() const { return epoch_; }
  /// The state of the process for this lock.
  Doing doing(const std::string& lock) const;
  const std::map<std::string, Lock>& locks() const { return locks_; }
  bool decides() const {
    bool stopped = stage_ == ViewStage::frozen || stage_ == ViewStage::leaving;
    return stopped && view_.decider == self_ && epoch_ < view_.epoch;
  }
  /// What this peer knows of the register.
  RegisterSnapshot known() const;
  /// Another peer has spoken of a view that this one has not seen.
  bool is_behind() const { return !summoned_by_.empty(); }
  /// Members whose leases are known to have ended.
  std::vector<NodeId> dead() const { return dead_members(known()); }
  /// A lock has been entered too often in this epoch.
  bool is_worn() const { return worn_ == view_.epoch && stage_ == ViewStage::working; }
  /// How many messages of later epochs are kept.
  std::size_t early() const { return early_.size(); }

 private:
  struct Early {
    PeerInstance from;
    LockMessage told;
    CONCH_FIELDS(Early, from, told)
  };
  /// Bound on kept messages of later epochs; a peer that gets more has lost touch and expels
  /// itself.
  static constexpr std::size_t early_max = 1 << 16;

  void see_roster(Roster roster);
  void adopt(const View& view, Out& out);
  void stand_outside(Out& out);
  void begin_epoch(Out& out);
  void let_go_of_forced(Out& out);
  void greet(Out& out);
  template <class M>
  void tell_of_view(const Member& member, M&& whole, Out& out);
  void answer_summons(Out& out);
  void tell_roster(Out& out);
  void work(Out& out);
  void expel(Out& out);
  void report_to_decider(Out& out);
  LockReports locks_as_reported(Time now) const;
  void keep_report(const PeerInstance& from, const Report& report);
  bool everybody_has_stopped() const;
  void decide_if_complete(Out& out);
  void depart_if_unneeded(Out& out);
  void install(const LockAssignments& locks, Out& out);
  void replay_early(Out& out);

  void take(const PeerInstance& from, const LockMessage& m, Out& out);
  void take(const PeerInstance& from, const Freeze& m, Out& out);
  void take(const PeerInstance& from, const Report& m, Out& out);
  void take(const PeerInstance& from, const Install& m, Out& out);
  void take(const PeerInstance& from, const Installed& m, Out& out);
  void take(const PeerInstance& from, const Hello& m, Out& out);
  void take(const PeerInstance& from, const Welcome& m, Out& out);
  void take(const PeerInstance& from, const Summons& m, Out& out);
  void take(const PeerInstance&, const Doubt&, Out&) {}  // handled by the group member

  bool is_member() const {
    return stage_ == ViewStage::greeting || stage_ == ViewStage::working ||
           stage_ == ViewStage::frozen;
  }
  bool is_guest() const { return view_.roster.find(self_.id)->guest; }
  const AnyAlgorithm& algorithm() const { return *charter_.runs; }
  const RecoveryPolicy& policy() const { return *charter_.policy; }
  bool has_reported(const PeerInstance& life) const;
  bool can_install(const LockAssignments& locks) const;
  bool is_void(const PeerInstance& from, const LockMessage& told) const;
  Assignment start_of(const std::string& lock, const DataRef& data) const;
  Lock& lock_at(const std::string& name, Out& out);
  Lock& lock_of_process(const std::string& name, Out& out);
  void give_value(const std::string& name, Lock& lock, Out& out);
  template <class Call>
  void at(Lock& lock, Out& out, Call&& call);

  PeerInstance self_;
  /// This peer's roster entry when it joins.
  Member newcomer_;
  Charter charter_;
  ViewStage stage_ = ViewStage::outside;
  View view_;
  /// The members, the founders, and the founders' labels in the view's roster; for all locks.
  Members members_;
  Members founders_;
  Clusters clusters_;
  Epoch epoch_{0};
  /// No epoch begins below this; see RegisterSnapshot.
  Epoch epoch_floor_{0};
  /// Lives on the roster or evicted whose lease is known to have ended.
  std::set<PeerInstance> ended_;
  std::map<std::string, Lock> locks_;
  std::vector<Early> early_;
  /// The peers that have spoken of a view that this one has not seen, and which.
  std::map<PeerInstance, std::uint64_t> summoned_by_;
  /// Guest only: the members that have welcomed it.
  std::set<NodeId> welcomes_;
  /// Decider only, perhaps before it knows that it is one: the reports for this epoch.
  Epoch reported_epoch_{0};
  std::map<PeerInstance, LockReports> reports_;
  /// Leaver only: the members that have installed its decision.
  std::set<NodeId> installed_;
  bool admitted_ = false;
  bool holds_fast_ = false;
  /// The last epoch in which a lock was entered too often.
  Epoch worn_{0};

 public:
  CONCH_FIELDS(ViewProtocol, self_, stage_, view_, epoch_, ended_, locks_, early_, summoned_by_,
               welcomes_, reported_epoch_, reports_, installed_, admitted_, worn_)
};

}  // namespace conch::recovery
