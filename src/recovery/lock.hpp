// One lock at one peer: what its process wants, and what the algorithm's value plays for it.
//
// The two may differ for a while. A frozen lock does nothing for its process, which may release or
// lose patience meanwhile; after a recovery the value is inside, or waits, as the reports had it.
// `reconcile` brings the value to where the process is, one call at a time.
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
  joining,  // of a value: it is on its way into the lock's group
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

/// One lock at one peer, for people who look on.
struct LockStatus {
  Doing doing = Doing::nothing;
  Wish wish;
  /// When the process asked, or, if it is inside, when it entered; on the peer's clock.
  Time since;
  /// If it is inside.
  std::optional<Fence> fence;
  /// The lock's token is here; of an algorithm without one, never.
  bool token = false;
  /// That this peer knows of.
  Baton newest;
};

class Lock {
 public:
  using Out = LockEffects;

  Lock() = default;
  explicit Lock(std::string name) : name_(std::move(name)) {}

  // The process. It asks when it does nothing, cancels when it waits, releases when it is inside.

  void request(const Wish& wish, Out& out) {
    CONCH_EXPECT(process_ == Doing::nothing, "one request at a time");
    CONCH_EXPECT(wish.range == Range{}, "a recovery keeps the data of a lock whole");
    process_ = Doing::waiting;
    wish_ = wish;
    since_ = out.now().time_since_epoch();
    reconcile(out);
  }
  void cancel(Out& out) {
    CONCH_EXPECT(process_ == Doing::waiting, "only who waits cancels");
    process_ = Doing::withdrawing;
    reconcile(out);
  }
  /// The data count only if it was inside to write.
  void release(const DataRef& data, Out& out) {
    CONCH_EXPECT(process_ == Doing::inside, "only who is inside releases");
    process_ = Doing::nothing;
    if (wish_.mode == Mode::write) {
      known_ = {std::max(held_.fence, entered_.fence), data};
      left_ = data;
    }
    reconcile(out);
  }
  /// The bytes of these data are here now.
  void copied(const DataRef& data) {
    if (!copy_ || copy_->version < data.version) copy_ = data;
  }
  /// The peer is out of the group.
  void lose(Out& out) {
    if (std::exchange(process_, Doing::nothing) != Doing::nothing) out.tell(Lost{name_});
    forget_value();
  }

  /// Who has held it since before this epoch holds it no more.
  void force_open(Epoch epoch, Out& out) {
    if (process_ == Doing::inside && held_.fence.epoch() < epoch) lose_hold(out);
  }

  // The value.

  /// An epoch starts, with these inside and those waiting.
  void install(const AnyAlgorithm& algorithm, NodeId self, const Assignment& start,
               const LockAssignment& lock, Out& out) {
    RehearsedValue part = algorithm.rehearse(self, start, lock.holders, lock.waiters);
    value_ = std::move(part.value);
    epoch_ = start.epoch;
    assigned_ = start.baton.data;
    rolled_back_ = lock.rolled_back;
    entered_ = start.baton;
    const Claim* holds = find(lock.holders, self);
    const Claim* waits = find(lock.waiters, self);
    if (const Claim* claim = holds ? holds : waits) {
      played_ = Doing::waiting;
      played_wish_ = claim->wish;
    }
    take_effects(part.out, out);
    if (part.entered) enter(*part.entered);
    known_ = entered_;
    if (process_ == Doing::inside && !holds) lose_hold(out);
    if (process_ == Doing::inside && held_.data != lock.data) move_data(lock, out);
    if (left_ == held_.data) left_ = lock.data;  // It has not written, and others were found.
    if (!holds) left_.reset();
    reconcile(out);
  }
  /// A guest's value asks the lock's home to be let in.
  void join(const AnyAlgorithm& algorithm, NodeId self, const Assignment& start, Out& out) {
    value_ = algorithm.make(self, start);
    epoch_ = start.epoch;
    played_ = Doing::joining;
    tell(input::Join{start.home}, out);
    reconcile(out);
  }
  /// Until the next epoch is installed the value does nothing, whatever comes.
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
    if (process_ == Doing::inside) report.held = Holding{wish_, held_.fence};
    if (process_ == Doing::waiting) report.waits = Waiting{wish_, now.time_since_epoch() - since_};
    return report;
  }

  LockStatus status() const {
    bool has_token = value_ && value_->holds_token();
    LockStatus status{process_, wish_, Time(since_), std::nullopt, has_token, newest()};
    if (process_ == Doing::inside) status.fence = held_.fence;
    return status;
  }

  Doing process() const { return process_; }
  /// Of the last time that the value was inside, or with which its epoch started.
  Fence entry() const { return entered_.fence; }
  const Value& value() const { return value_; }
  Epoch epoch() const { return epoch_; }

 private:
  /// Takes the value to where the process is, as far as it can be taken.
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
          // What was left while the value could not be told goes to the next one first.
          if (wants_what_is_played() && !left_) return grant(out);
          leave(out);
          break;
      }
    }
  }
  bool wants_what_is_played() const { return process_ == Doing::waiting && wish_ == played_wish_; }
  /// The value waits for nothing: a process that has cancelled is free.
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
  /// Nobody has written since data were lost, as far as this one knows.
  bool is_rolled_back() const { return rolled_back_ && known_.data.version == assigned_.version; }
  /// Who had the data that this holder found is gone.
  void move_data(const LockAssignment& lock, Out& out) {
    held_.data = lock.data;
    out.tell(Moved{name_, lock.data, lock.rolled_back});
  }
  void lose_hold(Out& out) {
    process_ = Doing::nothing;
    out.tell(Lost{name_});
  }
  void forget_value() {
    value_.reset();
    played_ = Doing::nothing;
  }
  void enter(const Entered& entered) {
    CONCH_EXPECT(played_ == Doing::waiting, "only who waits enters");
    played_ = Doing::inside;
    entered_ = entered.baton;
  }

  void tell(const Input& input, Out& out) {
    SaidOutbox& own = out.outbox();
    value_->apply(input, own);
    take_effects(own, out);
  }
  void take_effects(SaidOutbox& own, Out& out) {
    for (auto& send : own.sends()) out.send(send.to, Told{name_, epoch_, std::move(send.message)});
    for (const Effect& effect : own.effects())
      std::visit([&](const auto& each) { take_effect(each, out); }, effect);
    own.clear();
  }
  void take_effect(const Entered& entered, Out&) { enter(entered); }
  void take_effect(const conch::Withdrawn&, Out&) {
    CONCH_EXPECT(played_ == Doing::withdrawing, "only who cancels is withdrawn");
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

  static const Claim* find(const std::vector<Claim>& claims, NodeId node) {
    auto found = std::find_if(claims.begin(), claims.end(),
                              [&](const Claim& claim) { return claim.node == node; });
    return found == claims.end() ? nullptr : &*found;
  }

  std::string name_;
  /// What the process does, what it asked for, when it asked or entered, and what it holds the
  /// lock with.
  Doing process_ = Doing::nothing;
  Wish wish_;
  Duration since_{};
  Baton held_;
  /// What the value does for it. It may be inside with a later fence than the process: a holder
  /// keeps its own when an epoch ends.
  Value value_;
  Epoch epoch_{0};
  Doing played_ = Doing::nothing;
  Wish played_wish_;
  Baton entered_;
  /// What the process left while the value could not be told.
  std::optional<DataRef> left_;
  /// With which data the epoch started, and whether newer ones were lost.
  DataRef assigned_;
  bool rolled_back_ = false;
  /// The newest that was found, left or heard of here, and the newest data whose bytes are here.
  Baton known_;
  std::optional<DataRef> copy_;

 public:
  CONCH_FIELDS(Lock, name_, process_, wish_, since_, held_, value_, epoch_, played_, played_wish_,
               entered_, left_, assigned_, rolled_back_, known_, copy_)
};

}  // namespace conch::recovery
