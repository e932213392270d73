// Drives a view protocol in time: its lease, its questions to the register, and when it gives up on
// other members.
//
// Every call passes the peer's clock and checks the lease first. If the lease has run out, the
// view protocol lapses, and the process loses its locks before anything else happens. So no entry,
// however local, happens without a lease, and a peer that was stopped for an hour learns of it at
// its first event.
//
// The register may be slow or away, and answers may be lost: a question is repeated, and nothing
// blocks on an answer. The view shows whether a proposal was accepted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recovery/group_member.hpp"
#include "recovery/lease.hpp"
#include "recovery/register_talk.hpp"
#include "recovery/suspicion.hpp"

namespace conch::recovery {

/// Data of a lock that have arrived here.
struct ArrivedData {
  std::string lock;
  DataRef data;
};

class LeasedMember final : public GroupMember {
 public:
  /// Returns the data that arrived since the last call; called before this peer reports its data.
  using NewCopies = std::function<std::vector<ArrivedData>()>;

  /// Whether this peer asks the register itself. One that asks through others joins and leaves
  /// alone.
  enum class Access : std::uint8_t { own, others };

  LeasedMember(Member self, Charter charter, LeaseTerms terms, NewCopies new_copies = {},
               Access access = Access::own)
      : terms_(terms),
        access_(access),
        newcomer_(self),
        view_protocol_(std::move(self), std::move(charter)),
        new_copies_(std::move(new_copies)),
        lease_(terms) {}

  void start(Out& out) override { look(out); }
  void tick(Out& out) override {
    if (alive(out)) look_after(out);
  }
  Time wakes() const override;

  void answered(const RegisterAnswer& answer, Out& out) override;
  void watched(Out& out) override {
    if (alive(out)) look(out);
  }

  /// Members trust one another; but a message that no correct member sends in this state ends this
  /// life, not the process.
  Intake receive(const PeerInstance& from, std::string_view payload, Out& out) override;
  void receive(const PeerInstance& from, const Message& message, Out& out);
  void timer(const std::string& lock, Epoch epoch, TimerId timer, Out& out) override;
  void silent(const PeerInstance& life, Duration unacknowledged, Out& out) override;
  void suspect(const PeerInstance& life, Out& out) override;
  void evict(const std::set<PeerInstance>& those, Out& out) override;

  bool request(const std::string& lock, const Wish& wish, Out& out) override;
  bool cancel(const std::string& lock, Out& out) override;
  bool release(const std::string& lock, const DataRef& data, Out& out) override;
  void copied(const std::string& lock, const DataRef& data, Out& out) override;
  bool force_open(const std::string& lock, Out& out) override;
  void relabel(const std::map<NodeId, std::string>& labels, Out& out) override;
  void leave(Out& out) override;

  void delay_locks(Duration lock_delay, Out& out) override;
  Duration recorded_lock_delay() const override { return recorded_lock_delay_; }
  void hold_fast(bool holds) override { view_protocol_.hold_fast(holds); }
  bool holds_fast() const override { return view_protocol_.holds_fast(); }
  std::size_t forget_idle(Time) override { return view_protocol_.forget_idle(); }

  bool has_roster() const override { return true; }
  const View& view() const override { return view_protocol_.view(); }
  ViewStage stage() const override { return view_protocol_.stage(); }
  bool has_lease(Time now) const override { return lease_.holds(now); }
  std::optional<Time> lease_until() const override { return lease_.until(); }
  Epoch epoch() const override { return view_protocol_.epoch(); }
  std::vector<NodeId> dead() const override { return view_protocol_.dead(); }
  std::vector<LockReport> reports(Time now) const override;
  bool has_token(const std::string& lock) const override;
  bool may_be_wanted(const std::string& lock) const override;
  DataRef known_data(const std::string& lock) const override;
  const ViewProtocol* view_protocol() const override { return &view_protocol_; }

 private:
  bool alive(Out& out);
  void see(const RegisterSnapshot& snapshot, Out& out);
  void tell_copies(Out& out);
  const AnyValue* find_value(const std::string& lock) const;
  const RecoveryPolicy& policy() const { return *view_protocol_.charter().policy; }
  void look_after(Out& out);
  void look(Out& out);
  void renew(Out& out);
  void propose(View view, Out& out);
  std::optional<View> proposal() const;
  void see_forced(Out& out);
  void ask(Question question, Out& out);
  void learn(const RegisterSnapshot& snapshot, Out& out);
  void come_in(const RegisterAnswer& answer, Out& out);
  void seek_admission(const RegisterSnapshot& snapshot, const Waiting& waiting, Out& out);
  void keep(const PeerInstance& from, const Message& message, Out& out);
  bool may_leave() const { return leaving_ && view_protocol_.stage() == ViewStage::working; }
  Duration pause_left(std::size_t members, Duration view_age) const;
  Duration view_pause_left(Time now) const;
  Duration delay_for_others(Time now) const;
  void announce_leave(Out& out);
  void leave_in_turn(const Waiting& waiting, Out& out);
  void note_view(Time now);
  unsigned confirmations(const PeerInstance& life, Time now) const;
  /// The timeout of a question to the register.
  Duration answer_patience() const { return renewal_period(terms_) / 2; }

  static constexpr std::size_t before_lease_max = 4096;

  LeaseTerms terms_;
  Access access_;
  Member newcomer_;
  ViewProtocol view_protocol_;
  NewCopies new_copies_;
  /// Reused to avoid allocation.
  Message message_;
  Lease lease_;
  std::uint64_t asked_ = 0;
  /// An unanswered question, and whether it renews the lease, proposes a view or announces a leave.
  struct Open {
    Time asked;
    bool renews = false;
    bool proposes = false;
    bool leaves = false;
    Duration lock_delay{};
  };
  std::map<std::uint64_t, Open> open_;
  /// When each kind of question may be sent again.
  std::optional<Time> next_look_;
  std::optional<Time> next_renewal_;
  std::optional<Time> next_proposal_;
  /// The newest view it has seen, and since when.
  std::uint64_t noted_view_ = 0;
  Time noted_at_{};
  /// Set while it waits with other newcomers: then it announces itself whenever it looks.
  std::optional<Newcomer> announced_;
  bool leaving_ = false;
  /// Waits with other leavers.
  bool announces_leave_ = false;
  Duration lock_delay_{};
  Duration recorded_lock_delay_{};
  /// A lock that this peer was asked to force open: the epoch of the request, and the epoch that
  /// opens it, once accepted.
  struct Forcing {
    Epoch asked;
    std::optional<Epoch> accepted;
  };
  std::map<std::string, Forcing> forcing_;
  std::map<NodeId, std::string> labels_;
  std::set<PeerInstance> evicting_;
  /// Messages that arrived before the first lease, from members that learned of the admission
  /// earlier. They wait, because nothing is done without a lease.
  std::vector<std::pair<PeerInstance, Message>> before_lease_;
  /// For each doubted life: the members that cannot reach it, and when they said so.
  std::map<PeerInstance, std::map<NodeId, Time>> doubts_;
};

}  // namespace conch::recovery
