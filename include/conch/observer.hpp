// Watches what one peer does, as it does it: for metrics, logs and tests.
//
//   struct Count : conch::Observer {
//     std::atomic<int> entries = 0;
//     void entered(std::string_view, const Entry&) override { ++entries; }
//   } count;
//   conch::Observation observation = peer.observe(count);   // until it is destroyed
//
// Calls come one at a time, in the order in which things happen, from whichever thread uses the
// peer. The peer waits for them, so an observer only takes a note: it must not block, and must not
// use the peer or its objects.
#pragma once

#include <chrono>
#include <conch/export.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace conch {

class Observer {
 public:
  struct Entry {
    bool shared = false;
    std::uint64_t fence = 0;
    std::chrono::nanoseconds waited{};
    /// True if the lock came from another peer or was made anew by an epoch; false if it was here.
    bool handed_over = false;
  };

  virtual ~Observer() = default;

  // Threads and clients of this peer. Each one asks, and then either enters or withdraws. After it
  // has entered, it either leaves or loses the lock.
  virtual void asked(std::string_view /*lock*/) {}
  virtual void entered(std::string_view /*lock*/, const Entry&) {}
  virtual void withdrew(std::string_view /*lock*/) {}
  virtual void left(std::string_view /*lock*/, std::chrono::nanoseconds /*held*/) {}
  virtual void lost(std::string_view /*lock*/, std::chrono::nanoseconds /*held*/) {}

  // The group.

  /// Locks work in this epoch: a member was put out, left or joined, or a lock was forced open.
  virtual void recovered(std::uint64_t /*epoch*/, std::size_t /*members*/) {}
  /// This peer was put out and has rejoined the group; it has lost what it held.
  virtual void readmitted() {}
  /// This peer has left the group; no call follows.
  virtual void gone() {}
};

/// Ends the observation when it is destroyed. It may outlive the peer, but not the observer.
class CONCH_API Observation {
 public:
  ~Observation();
  Observation(Observation&&) noexcept;
  Observation& operator=(Observation&&) noexcept;

 private:
  friend class Peer;
  struct CONCH_PRIVATE State;
  CONCH_PRIVATE explicit Observation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace conch
