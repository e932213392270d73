// Looks after a participant in time: its lease, what it asks the register, whom it gives up.
//
// Every call says what the peer's clock shows, and looks at the lease first: when that has run out,
// the call is the participant's last, and what its process held is lost before anything else
// happens. So no entry, however local, passes without a lease; and a peer that was stopped for an
// hour learns of it by its first event.
//
// The register may be slow or away, and answers may be lost: a question is repeated, and none is
// waited for. Whether a proposal was accepted is seen from the view.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recovery/lease.hpp"
#include "recovery/participant.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/suspicion.hpp"

namespace conch::recovery {

/// What a steward wants done: all sends, then all questions, then the events.
class StewardOrders : public PeerOrders {
 public:
  using PeerOrders::PeerOrders;
  void restart(Time now) {
    PeerOrders::restart(now);
    asks_.clear();
  }
  void ask(Ask ask) { asks_.push_back(std::move(ask)); }
  std::vector<Ask>& asks() { return asks_; }

 private:
  std::vector<Ask> asks_;
};

class Steward {
 public:
  using Out = StewardOrders;

  Steward(Member self, Charter charter, LeaseTerms terms)
      : without_(charter.without),
        terms_(terms),
        participant_(std::move(self), std::move(charter)),
        tenure_(terms) {}

  /// The peer wants to be in the group.
  void start(Out& out) { look(out); }
  /// To be called when `wakes` has come, if not earlier.
  void tick(Out& out) {
    if (!alive(out)) return;
    look_after(out);
  }
  /// When something is due, if nothing else happens; never, once the peer is out.
  Time wakes() const;

  void answered(const Answer& answer, Out& out);
  /// The register has something new.
  void watched(Out& out) {
    if (alive(out)) look(out);
  }

  void receive(const Life& from, const Message& message, Out& out);
  void timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out);
  /// This one has left something unacknowledged for so long.
  void silent(const Life& life, Duration unacknowledged, Out& out);
  /// This one should be put out, for whatever reason.
  void suspect(const Life& life, Out& out);
  /// Those, and no others any more, are to be put out because somebody wants it: proposed until
  /// they are, whatever else happens to the view meanwhile.
  void evict(std::set<Life> those, Out& out);

  // The process. False if the lease has run out: it has been told.
  bool request(const std::string& lock, const Wish& wish, Out& out);
  bool cancel(const std::string& lock, Out& out);
  bool release(const std::string& lock, const DataRef& data, Out& out);
  bool copied(const std::string& lock, const DataRef& data, Out& out);
  /// Whoever holds the lock loses it, by a new epoch; ends in Opened, or Expelled. False if this
  /// peer is not in the group.
  bool force_open(const std::string& lock, Out& out);
  /// The members should have these labels, from now on and by a new epoch.
  void relabel(std::map<NodeId, std::string> labels, Out& out);
  /// Its process neither holds nor waits; ends in Departed, or Expelled.
  void leave(Out& out);

  /// Nobody may enter for so long after this peer's lease, if nobody knows that it has let go. The
  /// register remembers it: a renewal that carries it is sent at once.
  void delay_locks(Duration lock_delay, Out& out);
  /// What it remembers for certain.
  Duration recorded_lock_delay() const { return recorded_lock_delay_; }
  /// See Participant.
  void hold_fast(bool holds) { participant_.hold_fast(holds); }

  /// Forgets the locks that are as if nobody had used them yet; how many.
  std::size_t forget_idle() { return participant_.forget_idle(); }

  const Participant& participant() const { return participant_; }
  const Tenure& tenure() const { return tenure_; }

 private:
  bool alive(Out& out);
  bool minds_lease() const { return without_ != Rule::lease; }
  void look_after(Out& out);
  void look(Out& out);
  void renew(Out& out);
  void propose(View view, Out& out);
  std::optional<View> proposal() const;
  void see_forced(Out& out);
  void ask(Question question, Out& out);
  void learn(const Standing& standing, Out& out);
  void come_in(const Standing& standing, Out& out);
  void seek_admission(const Standing& standing, Out& out);
  void keep(const Life& from, const Message& message, Out& out);
  std::size_t rank() const;
  unsigned confirmations(const Life& life, Time now) const;
  /// How long an answer is waited for.
  Duration answer_patience() const { return renewal_period(terms_) / 2; }

  static constexpr std::size_t before_lease_max = 4096;

  Rule without_;
  LeaseTerms terms_;
  Participant participant_;
  Tenure tenure_;
  std::uint64_t asked_ = 0;
  /// A question whose answer may come, and whether that gives a lease, or refuses a view.
  struct Open {
    Time asked;
    bool renews = false;
    bool proposes = false;
    Duration lock_delay{};
  };
  std::map<std::uint64_t, Open> open_;
  /// The question that is not to be asked again before this.
  std::optional<Time> next_look_;
  std::optional<Time> next_renewal_;
  std::optional<Time> next_proposal_;
  bool leaving_ = false;
  Duration lock_delay_{};
  Duration recorded_lock_delay_{};
  /// What this peer was asked to force open: in which epoch, and by which epoch it is.
  struct Forcing {
    Epoch asked;
    std::optional<Epoch> accepted;
  };
  std::map<std::string, Forcing> forcing_;
  std::map<NodeId, std::string> labels_;
  std::set<Life> evicting_;
  /// From those who know of the admission before this one does: nothing is done without a lease.
  std::vector<std::pair<Life, Message>> before_lease_;
  /// Who has said of whom that it cannot be reached, and when.
  std::map<Life, std::map<NodeId, Time>> doubts_;
};

}  // namespace conch::recovery
