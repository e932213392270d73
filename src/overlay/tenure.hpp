// How a node safely becomes the root of a replica's key.
//
// A new root does not know the votes of the old one, nor the last fence. It starts in quarantine:
// it stores requests and lets a holder renew, but votes for nobody until twice the lease has
// passed, so that everything it forgot has expired, and until it has recalled the last fence from
// enough others that one of them must know it. If too many have forgotten since the lock was last
// used, it continues in a new era, above every fence that the remaining ones can have missed, and
// above the time at which the last of those that forgot became a root (fence_clock.hpp): what they
// forgot is older than that. So fences increase even if all replicas forget a lock, provided that
// their clocks differ by no more than the length of a quarantine.
//
//   RECALL(replica, forgotten, asker)             what is the last fence?
//   RECALLED(replica, forgotten, known, baton, since)   this one; `known` is false if the sender is
//                                                 in quarantine itself, as the root since `since`
//
// A root that loses its key routes what it knows to the new root (each protocol has its MOVED) and
// forgets it. It also forwards the messages that arrive directly after that. MOVED does not end the
// quarantine of the new root, because a copy of it may arrive late; but a holder keeps its vote,
// and waiters their place in the queue.
//
// In quarantine a root confirms only the holder that MOVED has named. If another sender says that
// it is inside, the root believes it and votes for nobody else, but does not confirm it: perhaps
// the old root is only unreachable and confirms another holder. The sender has entered by a
// majority of other replicas.
//
// A root whose lease on its keys has run out (ring_member.hpp) may have had a successor. It neither
// votes nor confirms until its neighbours answer again, and then starts a quarantine like a new
// root, though it keeps what it knows. This is why a quarantine takes two leases: the old root may
// confirm a holder during one, and that holder may stay inside for another.
//
// Bounds: n (n - 1) routed messages and as many answers, for a lock whose replicas are all new.
#pragma once

#include <map>
#include <utility>

#include "core/contract.hpp"
#include "core/flat_set.hpp"
#include "overlay/protocol_policy.hpp"

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
  // Timers of replicas, one number for each; the overlay has the numbers from 128 on.
  lease = 16,
  quarantine = lease + Replicas::most_leased,
  recall = quarantine + Replicas::most_leased,
};
static_assert(static_cast<unsigned>(Alarm::recall) + Replicas::most_leased <= 128);

constexpr TimerId timer_of(Alarm alarm, std::uint64_t number = 0) {
  return TimerId{static_cast<std::uint8_t>(static_cast<std::uint64_t>(alarm) + number)};
}
/// The replica that a timer of this kind belongs to, if it is one.
constexpr std::optional<Index> replica_of(TimerId timer, Alarm alarm) {
  auto number = static_cast<Index>(timer), first = static_cast<Index>(alarm);
  if (number < first || number >= first + Replicas::most_leased) return std::nullopt;
  return number - first;
}

/// A replica waits longer than its holder, whose clock may run slower by a twentieth.
constexpr Duration with_drift(Duration lease) { return lease + lease / 8; }

/// The replicas that one node serves as a root, and what it must do before it votes.
class Tenure {
 public:
  explicit Tenure(const Assignment& start)
      : replicas_(start.tuning.replication),
        lease_(start.tuning.replication.lease),
        policy_(policy_of<ProtocolPolicy>(start.tuning)),
        began_(start.baton.fence),
        now_(start.baton.fence) {}

  /// Sets the time; called before anything else.
  void tell_time(Fence now) { now_ = policy_->time(now_, now); }
  /// The fence that an unused lock starts above. Only a founder has one; other nodes ask.
  Fence origin() const { return founder_ ? began_ : Fence{}; }

  /// Whether this node may vote: it is the root, and lacks nothing that it must know.
  bool open(Index replica) const {
    auto found = served_.find(replica);
    if (lapsed_ || found == served_.end()) return false;
    return !found->second.waits && !found->second.recalls;
  }
  /// Whether this node may confirm a holder's lease.
  bool confirms(Index replica, const Priority& ts) const {
    if (policy_->confirms_unnamed(open(replica))) return true;
    auto found = served_.find(replica);
    return !lapsed_ && found != served_.end() && found->second.named == ts;
  }
  /// The old root has confirmed this request, or voted for it, and does neither any more.
  void name(Index replica, const Priority& ts) { served_[replica].named = ts; }

  bool knows(Index replica) const {
    auto found = served_.find(replica);
    return found != served_.end() && !found->second.recalls && !found->second.doubts;
  }
  /// Returns the time above which it must begin a new era before it votes, if it must. Resets that.
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

  /// The keys of this node have changed. Returns the replicas that it no longer serves.
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
      // The lease on the keys had lapsed: other nodes may know more.
      served->second = {};
      served->second.waits = served->second.recalls = true;
      if (is) begin(replica, served->second, self, out);
    }
    return ended;
  }
  /// Until the next `moved`, other nodes may act for the keys of this one.
  void lapse() { lapsed_ = true; }
  template <class Out>
  void forget(Index replica, Out& out) {
    served_.erase(replica);
    for (Alarm alarm : {Alarm::lease, Alarm::quarantine, Alarm::recall})
      out.disarm(timer_of(alarm, replica));
  }

  /// A node that knows the last fence has told us. Old leases may still be alive.
  void learnt(Index replica) { served_[replica].recalls = served_[replica].doubts = false; }

  template <class Out>
  void answer(const Recall& m, const Baton& baton, Out& out) const {
    Fence since = served_.at(m.replica).since;
    out.send(m.asker, Recalled{m.replica, m.forgotten, knows(m.replica), baton, since});
  }
  /// Whether enough replicas have answered: either one of those that know must have the last fence,
  /// or all have answered.
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
    served.doubts = !sure && all && policy_->begins_era(!served.knew.empty());
    return !served.recalls;
  }
  /// Handles a timer. Returns the replica whose quarantine or recall it ended, if any.
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
      // Replicas that did not answer may have been in use until now.
      served.since = std::max(served.since, now_);
      return replica;
    }
    return std::nullopt;
  }

 private:
  /// Attempts to recall. After that too many have forgotten, and this node goes on in a new era.
  static constexpr unsigned patience = 12;

  struct Served {
    bool waits = false;
    bool recalls = false;
    bool doubts = false;
    unsigned asked = 0;
    FlatSet<Index> knew;
    FlatSet<Index> answered;
    std::optional<Priority> named;
    /// The time at which it became the root, or at which the latest of those that forgot did.
    Fence since = {};
    CONCH_FIELDS(Served, waits, recalls, doubts, asked, knew, answered, named, since)
  };

  template <class Out>
  void begin(Index replica, Served& served, NodeId self, Out& out) {
    served.since = now_;
    if (!policy_->has_quarantine(lease_ > Duration::zero())) return;
    served.waits = !settled_;
    bool has_forgotten = policy_->has_forgotten(founder_);
    bool alone = replicas_.size() == 1;  // there is no other replica to ask
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
  const ProtocolPolicy* policy_;
  Fence began_;
  /// Left out of CONCH_FIELDS: the world sets it before every call.
  Fence now_;
  /// This node has had its keys from the beginning.
  bool founder_ = true;
  /// This node has had its keys for longer than any vote or lease lasts.
  bool settled_ = true;
  /// The lease on its keys has run out, and no `moved` has come since.
  bool lapsed_ = false;
  std::map<Index, Served> served_;

 public:
  CONCH_FIELDS(Tenure, founder_, settled_, lapsed_, served_)
};

}  // namespace conch::overlay
