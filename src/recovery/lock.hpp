// One lock at one peer: what its process wants (`process_`), and the state of the algorithm's value
// for it (`played_`).
//
// The two may differ for a while. A frozen lock does nothing for its process, which may release or
// cancel meanwhile; after a recovery the value is inside or waits, as the reports said. `reconcile`
// steps the value to where the process is, one call at a time.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recovery/algorithm.hpp"
#include "recovery/effects.hpp"
#include "recovery/knowledge.hpp"

namespace conch::recovery {

enum class Doing : std::uint8_t {
  nothing,
  joining,  // only a value: it is joining the lock's group
  waiting,
  withdrawing,
  inside,
};
constexpr std::string_view word(Doing doing) {
  switch (doing) {
    case Doing::nothing: return "nothing";
    case Doing::joining: return "joining";
    case Doing::waiting: return "waiting";
    case Doing::withdrawing: return "withdrawing";
    case Doing::inside: return "inside";
  }
  return "?";
}

/// A snapshot of one lock at one peer, for display.
struct LockStatus {
  Doing doing = Doing::nothing;
  Wish wish;
  /// When the process asked or, if it is inside, entered; on the peer's clock.
  Time since;
  /// Set while it is inside.
  std::optional<Fence> fence;
  /// Whether the lock's token is here; always false for an algorithm without one.
  bool token = false;
  /// The newest baton that this peer knows of.
  Baton newest;
};

class Lock {
 public:
  using Out = LockEffects;

  Lock() = default;
  explicit Lock(std::string name) : name_(std::move(name)) {}

  // Calls of the process. It requests when idle, cancels when waiting, releases when inside.

  void request(const Wish& wish, Out& out) {
    CONCH_EXPECT(process_ == Doing::nothing, "one request at a time");
    CONCH_EXPECT(wish.range == Range{}, "a recovery keeps the data of a lock whole");
    process_ = Doing::waiting;
    wish_ = wish;
    since_ = out.now().time_since_epoch();
    reconcile(out);
  }
  void cancel(Out& out) {
    CONCH_EXPECT(process_ == Doing::waiting, "only a process that waits may cancel");
    process_ = Doing::withdrawing;
    reconcile(out);
  }
  /// `data` counts only if the lock was held to write.
  void release(const DataRef& data, Out& out) {
    CONCH_EXPECT(process_ == Doing::inside, "only a process that is inside may release");
    process_ = Doing::nothing;
    left_ = held_.data;
    if (wish_.mode == Mode::write) {
      known_ = {std::max(held_.fence, entered_.fence), data};
      left_ = data;
    }
    reconcile(out);
  }
  /// The bytes of these data are now stored here.
  void copied(const DataRef& data) {
    if (!copy_ || copy_->version < data.version) copy_ = data;
  }
  /// The peer is out of the group; a process that held or waited loses the lock.
  void lose(Out& out) {
    if (std::exchange(process_, Doing::nothing) != Doing::nothing) out.tell(LockLost{name_});
    forget_value();
  }

  /// Ends a hold that began before this epoch.
  void force_open(Epoch epoch, Out& out) {
    if (process_ == Doing::inside && held_.fence.epoch() < epoch) lose_hold(out);
  }

  // Calls of the group.

  /// An epoch starts with these holders and waiters.
  void install(const AnyAlgorithm& algorithm, NodeId self, const Assignment& start,
               const LockAssignment& lock, Out& out) {
    RehearsedValue part = algorithm.rehearse(self, start, lock.holders, lock.waiters);
    value_ = std::move(part.value);
    epoch_ = start.epoch;
    assigned_ = start.baton.data;
    rolled_back_ = lock.rolled_back;
    entered_ = start.baton;
    const NodeClaim* holds = find(lock.holders, self);
    const NodeClaim* waits = find(lock.waiters, self);
    if (const NodeClaim* claim = holds ? holds : waits) {
      played_ = Doing::waiting;
      played_wish_ = claim->wish;
    }
    take_effects(part.out, out);
    if (part.entered) enter(*part.entered);
    known_ = entered_;
    if (process_ == Doing::inside && !holds) lose_hold(out);
    if (process_ == Doing::inside && held_.data != lock.data) move_data(lock, out);
    if (left_ == held_.data) left_ = lock.data;  // It wrote nothing; others were found.
    if (!holds) left_.reset();
    reconcile(out);
  }
  /// A guest's value asks the lock's home to let it join.
  void join(const AnyAlgorithm& algorithm, NodeId self, const Assignment& start, Out& out) {
    value_ = algorithm.make(self, start);
    epoch_ = start.epoch;
    played_ = Doing::joining;
    tell(input::Join{start.home}, out);
    reconcile(out);
  }
  /// Drops the value; nothing happens for the process until the next epoch is installed.
  void freeze(Out& out) {
    known_ = newest();
    forget_value();
    reconcile(out);
  }
  void receive(NodeId from, const Said& message, Out& out) {
    SaidOutbox& own = out.outbox();
    value_->receive(from, message, own);
    take_effects(own, out);
    reconcile(out);
  }
  void timer(TimerId timer, Out& out) {
    tell(input::Timer{timer}, out);
    reconcile(out);
  }
  void roster(const Members& members, Out& out) {
    tell(input::Roster{members}, out);
    reconcile(out);
  }

  LockReport report(Time now) const {
    LockReport report{name_, std::nullopt, std::nullopt, known_, is_rolled_back(), copy_};
    if (process_ == Doing::inside) report.held = HoldReport{wish_, held_.fence};
    if (process_ == Doing::waiting)
      report.waits = WaitReport{wish_, now.time_since_epoch() - since_};
    return report;
  }

  LockStatus status() const {
    bool has_token = value_ && value_->holds_token();
    LockStatus status{process_, wish_, Time(since_), std::nullopt, has_token, newest()};
    if (process_ == Doing::inside) status.fence = held_.fence;
    return status;
  }

  Doing process() const { return process_; }
  /// The fence of the value's last entry, or the one with which its epoch started.
  Fence entry() const { return entered_.fence; }
  const Value& value() const { return value_; }
  Epoch epoch() const { return epoch_; }

 private:
  /// Steps the value towards the state of the process until it must wait for a message.
  void reconcile(Out& out) {
    for (;;) {
      switch (value_ ? played_ : Doing::joining) {
        case Doing::joining: return settle(out);
        case Doing::withdrawing: return;
        case Doing::nothing:
          if (process_ != Doing::waiting) return settle(out);
          ask(out);
          break;
        case Doing::waiting:
          if (wants_what_is_played()) return;
          withdraw(out);
          break;
        case Doing::inside:
          if (process_ == Doing::inside) return;
          // Data that the process left while frozen must be released to the group first.
          if (wants_what_is_played() && !left_) return grant(out);
          leave(out);
          break;
      }
    }
  }
  bool wants_what_is_played() const { return process_ == Doing::waiting && wish_ == played_wish_; }
  /// The value does not wait, so a cancelling process is done.
  void settle(Out& out) {
    if (process_ != Doing::withdrawing) return;
    process_ = Doing::nothing;
    out.tell(Withdrew{name_});
  }
  void ask(Out& out) {
    played_ = Doing::waiting;
    played_wish_ = wish_;
    tell(input::Request{wish_}, out);
  }
  void withdraw(Out& out) {
    played_ = Doing::withdrawing;
    tell(input::Cancel{}, out);
  }
  void leave(Out& out) {
    played_ = Doing::nothing;
    DataRef data = left_.value_or(entered_.data);
    left_.reset();
    known_ = {entered_.fence, data};
    tell(input::Release{data}, out);
  }
  void grant(Out& out) {
    process_ = Doing::inside;
    since_ = out.now().time_since_epoch();
    held_ = entered_;
    known_ = entered_;
    out.tell(Granted{name_, held_, is_rolled_back()});
  }
  Baton newest() const {
    Baton newest = value_ ? value_->newest() : Baton{};
    return is_newer(newest, known_) ? newest : known_;
  }
  /// Newer data were lost, and nobody has written since, as far as this peer knows.
  bool is_rolled_back() const { return rolled_back_ && known_.data.version == assigned_.version; }
  /// The peer that had this holder's data is gone; tells the holder where they are now.
  void move_data(const LockAssignment& lock, Out& out) {
    held_.data = lock.data;
    out.tell(DataMoved{name_, lock.data, lock.rolled_back});
  }
  void lose_hold(Out& out) {
    process_ = Doing::nothing;
    out.tell(LockLost{name_});
  }
  void forget_value() {
    value_.reset();
    played_ = Doing::nothing;
  }
  void enter(const Entered& entered) {
    CONCH_EXPECT(played_ == Doing::waiting, "only a value that waits may enter");
    played_ = Doing::inside;
    entered_ = entered.baton;
  }

  void tell(const Input& input, Out& out) {
    SaidOutbox& own = out.outbox();
    value_->apply(input, own);
    take_effects(own, out);
  }
  void take_effects(SaidOutbox& own, Out& out) {
    for (auto& send : own.sends())
      out.send(send.to, LockMessage{name_, epoch_, std::move(send.message)});
    for (const Effect& effect : own.effects())
      std::visit([&](const auto& each) { take_effect(each, out); }, effect);
    own.clear();
  }
  void take_effect(const Entered& entered, Out&) { enter(entered); }
  void take_effect(const conch::Withdrawn&, Out&) {
    CONCH_EXPECT(played_ == Doing::withdrawing, "only a value that cancels is withdrawn");
    played_ = Doing::nothing;
  }
  void take_effect(const Forfeited&, Out&) {
    CONCH_EXPECT(false, "peers have their leases from the register, not lock by lock");
  }
  void take_effect(const Joined&, Out&) { played_ = Doing::nothing; }
  void take_effect(const Left&, Out&) {
    CONCH_EXPECT(false, "peers leave by a new epoch, not lock by lock");
  }
  void take_effect(const Armed& armed, Out& out) { out.tell(LockArmed{name_, epoch_, armed}); }
  void take_effect(const Disarmed& disarmed, Out& out) {
    out.tell(LockDisarmed{name_, disarmed.timer});
  }

  static const NodeClaim* find(const std::vector<NodeClaim>& claims, NodeId node) {
    auto found = std::find_if(claims.begin(), claims.end(),
                              [&](const NodeClaim& claim) { return claim.node == node; });
    return found == claims.end() ? nullptr : &*found;
  }

  std::string name_;
  /// State, wish, time of request or entry, and baton of the process.
  Doing process_ = Doing::nothing;
  Wish wish_;
  Duration since_{};
  Baton held_;
  /// State of the value. It may be inside with a later fence than the process, because a holder
  /// keeps its own fence when an epoch ends.
  Value value_;
  Epoch epoch_{0};
  Doing played_ = Doing::nothing;
  Wish played_wish_;
  Baton entered_;
  /// Data that the process released while there was no value to tell.
  std::optional<DataRef> left_;
  /// The data with which the epoch started, and whether newer ones were lost.
  DataRef assigned_;
  bool rolled_back_ = false;
  /// The newest baton granted, released or heard of here, and the newest data stored here.
  Baton known_;
  std::optional<DataRef> copy_;

 public:
  CONCH_FIELDS(Lock, name_, process_, wish_, since_, held_, value_, epoch_, played_, played_wish_,
               entered_, left_, assigned_, rolled_back_, known_, copy_)
};

}  // namespace conch::recovery
