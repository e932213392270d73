// The claim of one thread or client of this peer on one lock, from its request to its end.
#pragma once

#include <conch/receipt.hpp>
#include <cstdint>

#include "core/types.hpp"
#include "recovery/view.hpp"

namespace conch::node {

class LocalLock;

/// The messages about a lock that this peer has sent and received.
struct LockTraffic {
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
    lost,     // was inside, and has lost the lock
    refused,  // was waiting when the peer began to leave the group
  };

  explicit Claim(Mode mode) : mode(mode) {}
  virtual ~Claim() = default;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  Mode mode;
  State state = State::idle;
  Time asked{};
  /// The lock's traffic before this claim asked.
  LockTraffic before;
  /// Valid while inside, and after a loss.
  Fence fence;
  Receipt receipt;
  LocalLock* local_lock = nullptr;
  /// The life of the peer with which it entered.
  PeerInstance life;

  /// Whether this process made the claim, and not a client.
  virtual bool is_own() const { return true; }
  /// How long it has been inside, if it is.
  Duration held(Time now) const { return now - asked - receipt.wait; }
  bool has_place() const { return state == State::waiting || state == State::inside; }

  /// The state has changed, but not by a call of the claim's owner. Called under the peer's lock.
  virtual void changed() = 0;
  /// Whether a command runs under it. A command takes a moment to end when its lock is lost.
  virtual bool is_command() const { return false; }
  /// The command has to end soon, and then the claim drops its place. May be called again. Called
  /// under the peer's lock.
  virtual void asked_to_let_go() {}
  /// The claim is inside, and the lock's data are elsewhere now. Called under the peer's lock.
  virtual void moved() {}
};

}  // namespace conch::node
