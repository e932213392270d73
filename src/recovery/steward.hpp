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

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recovery/any_steward.hpp"
#include "recovery/lease.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/suspicion.hpp"

namespace conch::recovery {

/// What has come to be here of a lock's data.
struct Copy {
  std::string lock;
  DataRef data;
};

class Steward final : public AnySteward {
 public:
  /// Asked what has come to be here since the last time, before the others are told what is here.
  using NewCopies = std::function<std::vector<Copy>()>;

  Steward(Member self, Charter charter, LeaseTerms terms, NewCopies new_copies = {})
      : without_(charter.without),
        terms_(terms),
        participant_(std::move(self), std::move(charter)),
        new_copies_(std::move(new_copies)),
        tenure_(terms) {}

  void start(Out& out) override { look(out); }
  void tick(Out& out) override {
    if (alive(out)) look_after(out);
  }
  Time wakes() const override;

  void answered(const Answer& answer, Out& out) override;
  void watched(Out& out) override {
    if (alive(out)) look(out);
  }

  /// Members trust one another; but a message that none of ours would send at this moment ends this
  /// life, not the process.
  Intake receive(const Life& from, std::string_view payload, Out& out) override;
  void receive(const Life& from, const Message& message, Out& out);
  void timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out) override;
  void silent(const Life& life, Duration unacknowledged, Out& out) override;
  void suspect(const Life& life, Out& out) override;
  void evict(const std::set<Life>& those, Out& out) override;

  bool request(const std::string& lock, const Wish& wish, Out& out) override;
  bool cancel(const std::string& lock, Out& out) override;
  bool release(const std::string& lock, const DataRef& data, Out& out) override;
  void copied(const std::string& lock, const DataRef& data, Out& out) override;
  bool force_open(const std::string& lock, Out& out) override;
  void relabel(const std::map<NodeId, std::string>& labels, Out& out) override;
  void leave(Out& out) override;

  void delay_locks(Duration lock_delay, Out& out) override;
  Duration recorded_lock_delay() const override { return recorded_lock_delay_; }
  void hold_fast(bool holds) override { participant_.hold_fast(holds); }
  bool holds_fast() const override { return participant_.holds_fast(); }
  std::size_t forget_idle(Time) override { return participant_.forget_idle(); }

  bool has_roster() const override { return true; }
  const View& view() const override { return participant_.view(); }
  Stage stage() const override { return participant_.stage(); }
  bool has_lease(Time now) const override { return tenure_.holds(now); }
  std::optional<Time> lease_until() const override { return tenure_.until(); }
  Epoch epoch() const override { return participant_.epoch(); }
  std::vector<NodeId> dead() const override { return participant_.dead(); }
  std::vector<LockReport> reports(Time now) const override;
  bool has_token(const std::string& lock) const override;
  bool may_be_wanted(const std::string& lock) const override;
  DataRef known_data(const std::string& lock) const override;
  const Participant* participant() const override { return &participant_; }

 private:
  bool alive(Out& out);
  void see(const Standing& standing, Out& out);
  void tell_copies(Out& out);
  const AnyValue* find_value(const std::string& lock) const;
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
  NewCopies new_copies_;
  /// Used again, so that nothing is allocated.
  Message message_;
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
