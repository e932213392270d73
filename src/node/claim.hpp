// One wish of one thread or client of this peer for one lock, from its asking to its end.
#pragma once

#include <conch/receipt.hpp>
#include <cstdint>

#include "core/types.hpp"
#include "recovery/view.hpp"

namespace conch::node {

class LockDesk;

/// What has been said about the lock, here.
struct Traffic {
  std::uint32_t messages_sent = 0;
  std::uint32_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

class Claim {
 public:
  enum class State : std::uint8_t {
    idle,     // asks for nothing
    waiting,  // in the lock's local queue
    inside,
    lost,     // was inside
    refused,  // was waiting, and the peer leaves the group
  };

  explicit Claim(Mode mode) : mode(mode) {}
  virtual ~Claim() = default;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  Mode mode;
  State state = State::idle;
  Time asked{};
  /// What was said of the lock before it asked.
  Traffic before;
  /// While inside, and after a loss.
  Fence fence;
  Receipt receipt;
  LockDesk* desk = nullptr;
  /// With which life of the peer it entered.
  recovery::Life life;

  /// Whether this process has it, and not a client.
  virtual bool is_own() const { return true; }
  /// For how long, if it is inside.
  Duration held(Time now) const { return now - asked - receipt.wait; }
  bool has_place() const { return state == State::waiting || state == State::inside; }

  /// The state has changed, but not by a call of the claim's owner. Called under the peer's lock.
  virtual void changed() = 0;
  /// Whether a command runs under it, which takes a moment to be gone when the lock is lost.
  virtual bool is_command() const { return false; }
  /// A command has to end soon; its claim gives up its place by itself then. May be asked again.
  /// Called under the peer's lock.
  virtual void asked_to_let_go() {}
  /// It is inside, and the lock's data are elsewhere now. Called under the peer's lock.
  virtual void moved() {}
};

}  // namespace conch::node
