// How a node becomes the root of a replica's key without harm.
//
// A root that has just come, or that takes the place of one that went, does not know what was voted
// for before it, nor the last fence. It is in quarantine: it keeps requests and lets a holder renew
// but votes for nobody until twice the lease has passed, so that nothing of what it forgot is
// alive, and until it has recalled the last fence from so many others that one of them must know
// it. If too many have forgotten since the lock was used last it goes on in a new era, above every
// fence that those who remember something can have missed; and above the time at which the last of
// those who do not know became a root (fence_clock.hpp), for what they have forgotten is older. So
// fences increase although all replicas forget a lock, if their clocks differ by no more than the
// time of a quarantine.
//
//   RECALL(replica, forgotten, asker)             what is the last fence?
//   RECALLED(replica, forgotten, known, baton, since)   this one; not `known` by one in quarantine
//                                                 itself, which is the root since that time
//
// A root that loses its key routes what it knows to it (each protocol has its MOVED) and forgets
// it. What comes to it straight after that it routes, too. MOVED does not end the quarantine of the
// new root, because a copy of it may come late; but a holder keeps its vote, and waiters their
// place.
//
// In quarantine a root confirms only the holder that MOVED has named. It believes any other that
// says it is inside, and votes for nobody else; but it may be the root only because the old one is
// out of reach, who may confirm another. Such a holder has entered by a majority of others.
//
// A root whose lease on its keys has run out (ring_member.hpp) may have had a successor. It neither
// votes nor confirms anybody until its neighbours answer again, and is then in quarantine like a
// new root, though it keeps what it knows. That is why a quarantine takes two leases: the old root
// may confirm a holder for one, and the holder go on for another.
//
// Bounds: n (n - 1) routed messages and as many answers, for a lock whose replicas are all new.
#pragma once

#include <map>
#include <utility>

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "overlay/replicas.hpp"

namespace conch::overlay {

struct Recall {
  Index replica = 0;
  Index forgotten = 0;
  NodeId asker;
  CONCH_FIELDS(Recall, replica, forgotten, asker)
};
struct Recalled {
  Index replica = 0;
  Index forgotten = 0;
  bool known = false;
  Baton baton;
  Fence since;
  CONCH_FIELDS(Recalled, replica, forgotten, known, baton, since)
};

/// The timers of a protocol over an overlay; those of a replica have a number for each.
enum class Alarm : std::uint8_t {
  settle,
  retry,
  patience,
  back_off,
  renew,
  /// The last four rounds of renewals, each a lease after it was sent.
  round,
  keep = round + 4,
  ping,
  silence,
  claim,
  // Of replicas, from these numbers on; an overlay has those from 128 on.
  lease = 16,
  quarantine = lease + Replicas::most_leased,
  recall = quarantine + Replicas::most_leased,
};
static_assert(static_cast<unsigned>(Alarm::recall) + Replicas::most_leased <= 128);

constexpr TimerId timer_of(Alarm alarm, std::uint64_t number = 0) {
  return TimerId{static_cast<std::uint8_t>(static_cast<std::uint64_t>(alarm) + number)};
}
/// Which replica's timer this is, if it is one of these.
constexpr std::optional<Index> replica_of(TimerId timer, Alarm alarm) {
  auto number = static_cast<Index>(timer), first = static_cast<Index>(alarm);
  if (number < first || number >= first + Replicas::most_leased) return std::nullopt;
  return number - first;
}

/// A replica waits longer than its holder, whose clock may run slower by a twentieth.
constexpr Duration with_drift(Duration lease) { return lease + lease / 8; }

/// The tenures of one node, and what it must do before it serves.
class Tenure {
 public:
  explicit Tenure(const Assignment& start)
      : replicas_(start.tuning.replication),
        lease_(start.tuning.replication.lease),
        without_(start.tuning.without),
        began_(start.baton.fence),
        now_(start.baton.fence) {}

  /// What time it is, before anything else is said.
  void tell_time(Fence now) {
    if (without_ != Without::fence_clock) now_ = now;
  }
  /// The fence above which a lock begins that nobody has used: a founder has nobody to ask.
  Fence origin() const { return founder_ ? began_ : Fence{}; }

  /// Whether it may vote: it is the root, and has forgotten nothing that it must know.
  bool open(Index replica) const {
    auto found = served_.find(replica);
    if (lapsed_ || found == served_.end()) return false;
    return !found->second.waits && !found->second.recalls;
  }
  /// Whether it may tell a holder that its lease goes on.
  bool confirms(Index replica, const Priority& ts) const {
    if (open(replica) || without_ == Without::named_holder) return true;
    auto found = served_.find(replica);
    return !lapsed_ && found != served_.end() && found->second.named == ts;
  }
  /// The root before it has confirmed this one, or voted for it, and will not any more.
  void name(Index replica, const Priority& ts) { served_[replica].named = ts; }

  bool knows(Index replica) const {
    auto found = served_.find(replica);
    return found != served_.end() && !found->second.recalls && !found->second.doubts;
  }
  /// Whether it has to begin a new era before it votes, above which time; said once.
  std::optional<Fence> doubts(Index replica) {
    Served& served = served_[replica];
    if (!std::exchange(served.doubts, false)) return std::nullopt;
    return served.since;
  }

  /// The overlay takes this node for the root.
  template <class Out>
  void serve(Index replica, NodeId self, Out& out) {
    auto [place, fresh] = served_.try_emplace(replica);
    if (fresh) begin(replica, place->second, self, out);
  }

  /// The keys of this node have changed: which tenures have ended.
  template <class Out>
  std::vector<Index> moved(const std::optional<Arc>& before, const std::optional<Arc>& after,
                           NodeId self, Out& out) {
    lapsed_ = false;
    std::vector<Index> ended;
    for (Index replica = 0; replica < replicas_.size(); ++replica) {
      Key key = replicas_.key(replica);
      bool is = after && after->contains(key), was = before && before->contains(key);
      if (is && !was) unsettle(out);
      auto served = served_.find(replica);
      if (served == served_.end()) continue;
      if (!is) ended.push_back(replica);
      if (was) continue;
      // It comes out of a lapse: others may know better.
      served->second = {};
      served->second.waits = served->second.recalls = true;
      if (is) begin(replica, served->second, self, out);
    }
    return ended;
  }
  /// Others may act for the keys of this node until it is told which of them are its own.
  void lapse() { lapsed_ = true; }
  template <class Out>
  void forget(Index replica, Out& out) {
    served_.erase(replica);
    for (Alarm alarm : {Alarm::lease, Alarm::quarantine, Alarm::recall})
      out.disarm(timer_of(alarm, replica));
  }

  /// Somebody who knows the last fence has told it; what was alive may still be.
  void learnt(Index replica) { served_[replica].recalls = served_[replica].doubts = false; }

  template <class Out>
  void answer(const Recall& m, const Baton& baton, Out& out) const {
    Fence since = served_.at(m.replica).since;
    out.send(m.asker, Recalled{m.replica, m.forgotten, knows(m.replica), baton, since});
  }
  /// Whether it has heard enough: one of those who know must have the last fence, or everybody has
  /// answered.
  bool hear(const Recalled& m) {
    auto found = served_.find(m.forgotten);
    if (found == served_.end() || !found->second.recalls) return false;
    Served& served = found->second;
    served.answered.insert(m.replica);
    if (m.known)
      served.knew.insert(m.replica);
    else
      served.since = std::max(served.since, m.since);
    bool sure = served.knew.size() >= replicas_.size() - replicas_.majority() + 1;
    bool all = served.answered.size() + 1 >= replicas_.size();
    served.recalls = !sure && !all;
    bool unused = served.knew.empty() && without_ == Without::fence_clock;
    served.doubts = !sure && all && !unused;
    return !served.recalls;
  }
  /// Whether one of its timers has opened a replica.
  template <class Out>
  std::optional<Index> timer(TimerId timer, NodeId self, Out& out) {
    if (timer == timer_of(Alarm::settle)) settled_ = true;
    if (auto replica = replica_of(timer, Alarm::quarantine); replica && served_.contains(*replica))
      return served_[*replica].waits = false, replica;
    if (auto replica = replica_of(timer, Alarm::recall); replica && served_.contains(*replica)) {
      Served& served = served_[*replica];
      if (!served.recalls) return std::nullopt;
      if (++served.asked < patience) return ask(*replica, self, out), std::nullopt;
      served.recalls = false;
      served.doubts = true;
      // Those who did not answer may have gone on until now.
      served.since = std::max(served.since, now_);
      return replica;
    }
    return std::nullopt;
  }

 private:
  /// So often it asks; then more have forgotten than may, and somebody has to go on.
  static constexpr unsigned patience = 12;

  struct Served {
    bool waits = false;
    bool recalls = false;
    bool doubts = false;
    unsigned asked = 0;
    FlatSet<Index> knew;
    FlatSet<Index> answered;
    std::optional<Priority> named;
    /// When it became the root; the latest of those who have forgotten, too.
    Fence since = {};
    CONCH_FIELDS(Served, waits, recalls, doubts, asked, knew, answered, named, since)
  };

  template <class Out>
  void begin(Index replica, Served& served, NodeId self, Out& out) {
    served.since = now_;
    if (lease_ == Duration::zero() || without_ == Without::quarantine) return;
    served.waits = !settled_;
    bool has_forgotten = !founder_ && without_ != Without::recall;
    bool alone = replicas_.size() == 1;  // nobody else knows
    served.recalls = has_forgotten && !alone;
    served.doubts = has_forgotten && alone;
    if (served.waits)
      out.arm(timer_of(Alarm::quarantine, replica), 2 * with_drift(lease_), 2 * with_drift(lease_));
    if (served.recalls) ask(replica, self, out);
  }
  template <class Out>
  void unsettle(Out& out) {
    founder_ = false;
    if (lease_ == Duration::zero()) return;
    settled_ = false;
    out.arm(timer_of(Alarm::settle), 2 * with_drift(lease_), 2 * with_drift(lease_));
  }
  template <class Out>
  void ask(Index forgotten, NodeId self, Out& out) {
    for (Index replica = 0; replica < replicas_.size(); ++replica)
      if (replica != forgotten && !served_[forgotten].knew.contains(replica))
        out.route(replicas_.key(replica), Recall{replica, forgotten, self});
    out.arm(timer_of(Alarm::recall, forgotten), lease_ / 2, lease_);
  }

  Replicas replicas_;
  Duration lease_;
  Without without_;
  Fence began_;
  /// Not compared: it is told before every call.
  Fence now_;
  /// Has had its keys from the beginning.
  bool founder_ = true;
  /// Has had its keys for as long as anything lives.
  bool settled_ = true;
  /// Its lease on its keys has run out, and no `moved` has come since.
  bool lapsed_ = false;
  std::map<Index, Served> served_;

 public:
  CONCH_FIELDS(Tenure, founder_, settled_, lapsed_, served_)
};

}  // namespace conch::overlay
