// A peer's part in its group: it comes, takes part in any number of locks, and goes; and when
// somebody crashes, it recovers the locks together with the others.
//
// Assumes a register that decides views, one after the other, and links that deliver exactly once
// and in order between two lives, or nothing any more. It has no clock: its lease is looked after
// elsewhere (steward.hpp), and every call is made while that holds, or is `lapse`.
//
// State: `view` is the newest it knows, `epoch` the one its locks run in. If the view's is newer,
// the locks are frozen.
//
//   TOLD(lock, epoch, message)  a lock's algorithm speaks; void if the epoch is over, kept if it
//                               has not begun here
//
// A new epoch: one of the peers sees that a lease has ended, and proposes to go on without that
// member. If the register accepts, it is the decider of the epoch.
//
//   FREEZE(view)                decider to all: the view is this; stop
//   REPORT(epoch, locks)        to the decider: I have stopped; this is what I hold and wait for
//   INSTALL(epoch, locks)       decider to all, when everybody has reported who is on the roster,
//                               and everybody's lease has ended who was put out: go on like this
//   INSTALLED(epoch)            to the decider
//
// If the decider dies, its lease ends, too, and another epoch begins. Whoever has installed then
// reports from the epoch that nobody else may know.
//
// A token in flight is one that nobody reports: it is made anew. A peer enters on nothing of the
// old epoch once it has reported, so that nobody holds what another was given; a holder goes on
// holding, and may release meanwhile.
//
// Somebody may force a lock open, by a view that begins an epoch and names the lock. Who adopts it
// and holds the lock with a fence of an older epoch lets go before it reports, and then nobody
// holds it. Who has missed that view finds the name in the next one: it stays in the views until
// one is proposed by a peer that works in the name's epoch or a later one. For that peer works
// because all members have reported to that epoch, or welcomed it there, and so have adopted a view
// with the name.
//
// Who comes to an algorithm with dynamic membership is a guest in the same epoch. It is on the
// roster first; then everybody must know.
//
//   HELLO(view)                 guest to all: I am on the roster
//   WELCOME                     I know, and so do my locks
//
// Others come, and all go, by a new epoch, which they decide themselves. For homes are founders:
// were one to leave within an epoch, a lock that nobody has used could be born in two places.
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
#include "recovery/proposals.hpp"
#include "recovery/rules.hpp"

namespace conch::recovery {

enum class Stage : std::uint8_t {
  outside,   // not on the roster yet
  greeting,  // a guest whom not everybody has welcomed
  working,
  frozen,   // an epoch has ended and the next has not begun
  leaving,  // off the roster, but deciding for the others
  out,
};
constexpr std::string_view word(Stage stage) {
  switch (stage) {
    case Stage::outside: return "outside";
    case Stage::greeting: return "greeting";
    case Stage::working: return "working";
    case Stage::frozen: return "frozen";
    case Stage::leaving: return "leaving";
    case Stage::out: return "out";
  }
  return "?";
}

/// What all peers of a group agree on beforehand.
struct Charter {
  /// A name of the catalogue, and what it stands for.
  std::string algorithm;
  const AnyAlgorithm* runs = nullptr;
  Tuning tuning;
  Rule without = Rule::none;
  /// When a lock has been entered so often in an epoch, the next one is due: the count of a fence
  /// does not overflow.
  std::uint64_t entries_max = Fence::last_count / 2;
  /// Goes with no group whose eps is another than the tuning's; otherwise it takes over the
  /// group's.
  bool insists_on_eps = false;
  friend bool operator==(const Charter&, const Charter&) = default;
};

class Participant {
 public:
  using Out = Effects;

  Participant(Member self, Charter charter)
      : self_(self.life()), newcomer_(std::move(self)), charter_(std::move(charter)) {}

  // The register: what to propose, if anything, to what is known; and what it says.

  /// The view in which this peer is a member. `known` may be newer than what it has learned.
  View admission(const Standing& known) const;
  /// The next view without those whose leases have ended and those of `wanted` that are members, if
  /// there are any, or if it was the decider's.
  std::optional<View> eviction(const std::set<Life>& wanted = {}) const;
  /// The next view without one that does not answer, whether its lease has ended or not; if both
  /// are members.
  std::optional<View> eviction_of(const Life& suspect) const;
  /// The next view with the same members, in which these locks are forced open; if this peer works.
  std::optional<View> renewal(const std::vector<std::string>& locks) const;
  /// The next view with these labels, if any of them is new and this peer works.
  std::optional<View> relabelling(const std::map<NodeId, std::string>& labels) const;
  /// The next view without this peer, whose process neither holds nor waits.
  View departure() const;
  /// What an accepted proposal, a refusal, a look or a watch has brought.
  void learn(const Standing& standing, Out& out);

  void receive(const Life& from, const Message& message, Out& out);
  void timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out);
  /// The lease has run out. Nothing else may be called after it.
  void lapse(Out& out) { expel(out); }
  /// The group is none for this peer, which has never been in it. As after a lapse.
  void stay_out(std::string why, Out& out);

  // The process. Its requests wait while the peer is not working.
  void request(const std::string& lock, const Wish& wish, Out& out);
  void cancel(const std::string& lock, Out& out);
  void release(const std::string& lock, const DataRef& data, Out& out);
  /// The bytes of these data are here now.
  void copied(const std::string& lock, const DataRef& data, Out& out);
  /// Forgets the locks that are as if nobody had used them yet; how many.
  std::size_t forget_idle();
  /// Whether what the process does under its locks goes on for a while after it was told that they
  /// are lost, within the lease: then, when it is put out, it does not say that it has let go, and
  /// the others wait for the end of its lease.
  void hold_fast(bool holds) { holds_fast_ = holds; }
  bool holds_fast() const { return holds_fast_; }

  const Life& self() const { return self_; }
  const Charter& charter() const { return charter_; }
  Stage stage() const { return stage_; }
  const View& view() const { return view_; }
  Epoch epoch() const { return epoch_; }
  /// What the process does with a lock.
  Doing doing(const std::string& lock) const;
  const std::map<std::string, Lock>& locks() const { return locks_; }
  bool decides() const {
    bool stopped = stage_ == Stage::frozen || stage_ == Stage::leaving;
    return stopped && view_.decider == self_ && epoch_ < view_.epoch;
  }
  /// Members whose leases are known to have ended.
  std::vector<NodeId> dead() const { return dead_members(known()); }
  /// A lock has been entered too often in this epoch.
  bool is_worn() const { return worn_ == view_.epoch && stage_ == Stage::working; }
  /// Messages of epochs that have not begun here.
  std::size_t early() const { return early_.size(); }

 private:
  struct Early {
    Life from;
    Told told;
    CONCH_FIELDS(Early, from, told)
  };
  /// What is kept for epochs to come; who is sent more has lost touch, and is out.
  static constexpr std::size_t early_max = 1 << 16;

  Standing known() const;
  void see_roster(Roster roster);
  void adopt(const View& view, Out& out);
  void stand_outside(Out& out);
  void begin_epoch(Out& out);
  void let_go_of_forced(Out& out);
  void greet(Out& out);
  void tell_roster(Out& out);
  void work(Out& out);
  void expel(Out& out);
  void report_to_decider(Out& out);
  LockReports locks_as_reported(Time now) const;
  void keep_report(const Life& from, const Report& report);
  bool everybody_has_stopped() const;
  void decide_if_complete(Out& out);
  void depart_if_unneeded(Out& out);
  void install(const LockAssignments& locks, Out& out);
  void replay_early(Out& out);

  void take(const Life& from, const Told& m, Out& out);
  void take(const Life& from, const Freeze& m, Out& out);
  void take(const Life& from, const Report& m, Out& out);
  void take(const Life& from, const Install& m, Out& out);
  void take(const Life& from, const Installed& m, Out& out);
  void take(const Life& from, const Hello& m, Out& out);
  void take(const Life& from, const Welcome& m, Out& out);
  void take(const Life&, const Doubt&, Out&) {}  // the steward's business

  bool is_member() const {
    return stage_ == Stage::greeting || stage_ == Stage::working || stage_ == Stage::frozen;
  }
  bool is_guest() const { return view_.roster.find(self_.id)->guest; }
  void slip_in(Out& out);
  const AnyAlgorithm& algorithm() const { return *charter_.runs; }
  bool is_without(Rule rule) const { return charter_.without == rule; }
  bool has_reported(const Life& life) const;
  bool can_install(const LockAssignments& locks) const;
  bool is_void(const Life& from, const Told& told) const;
  Assignment start_of(const std::string& lock, const DataRef& data) const;
  Lock& lock_at(const std::string& name, Out& out);
  Lock& lock_of_process(const std::string& name, Out& out);
  void give_value(const std::string& name, Lock& lock, Out& out);
  template <class Call>
  void at(Lock& lock, Out& out, Call&& call);

  Life self_;
  /// As it comes in.
  Member newcomer_;
  Charter charter_;
  Stage stage_ = Stage::outside;
  View view_;
  /// Of the view's roster: everybody, the founders, and the founders' labels. All locks share them.
  Members members_;
  Members founders_;
  Clusters clusters_;
  Epoch epoch_{0};
  /// Below which none begins; see Standing.
  Epoch epoch_floor_{0};
  /// Whose lease is known to have ended, of the roster and the evicted.
  std::set<Life> ended_;
  std::map<std::string, Lock> locks_;
  std::vector<Early> early_;
  /// Of a guest: who has welcomed it.
  std::set<NodeId> welcomes_;
  /// Of a decider, also of one that does not know it yet: what was reported when this epoch was to
  /// begin.
  Epoch reported_epoch_{0};
  std::map<Life, LockReports> reports_;
  /// Of one that leaves: who can do without it.
  std::set<NodeId> installed_;
  bool admitted_ = false;
  bool holds_fast_ = false;
  /// The last epoch in which a lock was entered too often.
  Epoch worn_{0};

 public:
  CONCH_FIELDS(Participant, self_, stage_, view_, epoch_, ended_, locks_, early_, welcomes_,
               reported_epoch_, reports_, installed_, admitted_, worn_)
};

}  // namespace conch::recovery
