// What an algorithm wants done. It is filled during one call and emptied by the world after it.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "core/types.hpp"

namespace conch {

/// The local process is in the critical section, with this fence and these data.
struct Entered {
  Baton baton;
  /// What the last writers left in the range that was asked for, where the algorithm keeps it by
  /// range: in order, without gaps.
  std::vector<Part> parts;
};
/// The cancelled request is gone and left nothing behind; the process may ask again.
struct Withdrawn {};
/// The holder's lease has run out: it is not inside any more, and another node may be. It does not
/// release.
struct Forfeited {};
/// The process is in the group: it may ask, hold and leave.
struct Joined {};
/// Nothing will be sent to this node any more; the world may drop its value.
struct Left {};
/// Start a timer anew; the world draws a delay between `min` and `max` and keeps the clock.
struct Armed {
  TimerId timer;
  Duration min;
  Duration max;
};
struct Disarmed {
  TimerId timer;
};

using Effect = std::variant<Entered, Withdrawn, Forfeited, Joined, Left, Armed, Disarmed>;

template <class Message>
class Outbox {
 public:
  struct Send {
    NodeId to;
    Message message;
  };

  /// Handed to the network first, in this order, before any effect below is seen by the process:
  /// a world that crashes in between has sent everything or nothing of one call.
  void send(NodeId to, Message message) { sends_.push_back({to, std::move(message)}); }

  // Take effect after the sends, in the order written.
  void enter(const Baton& baton, std::vector<Part> parts = {}) {
    effects_.push_back(Entered{baton, std::move(parts)});
  }
  void withdrawn() { effects_.push_back(Withdrawn{}); }
  void forfeit() { effects_.push_back(Forfeited{}); }
  void joined() { effects_.push_back(Joined{}); }
  void left() { effects_.push_back(Left{}); }
  void arm(TimerId timer, Duration min, Duration max) {
    effects_.push_back(Armed{timer, min, max});
  }
  void disarm(TimerId timer) { effects_.push_back(Disarmed{timer}); }
  /// Writes any of these effects.
  void add(Effect effect) { effects_.push_back(std::move(effect)); }

  // The world's side.
  const std::vector<Send>& sends() const { return sends_; }
  std::vector<Send>& sends() { return sends_; }
  const std::vector<Effect>& effects() const { return effects_; }
  /// Exchanges the effects, but not the messages, with another outbox.
  template <class Other>
  void swap_effects(Outbox<Other>& other) {
    effects_.swap(other.effects_);
  }
  bool empty() const { return sends_.empty() && effects_.empty(); }
  void clear() {
    sends_.clear();
    if (!effects_.empty()) effects_.clear();
  }

 private:
  template <class Other>
  friend class Outbox;

  std::vector<Send> sends_;
  std::vector<Effect> effects_;
};

}  // namespace conch
