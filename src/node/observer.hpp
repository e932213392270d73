// An observer that is told what a peer does while it does it, for a trace or for metrics.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/types.hpp"
#include "recovery/view.hpp"

namespace conch::node {

/// Calls come in the order in which things happen, from whichever thread runs the node. An observer
/// must neither block nor call the node.
class Observer {
 public:
  /// How a claim entered.
  struct Entry {
    Mode mode = Mode::write;
    Fence fence;
    Duration waited{};
    /// Whether the lock came from another peer, or anew from an epoch, for this entry.
    bool came = false;
  };
  /// A message of the recovery, or of a lock's algorithm.
  struct MessageNote {
    /// The name of the message, such as `REQUEST`; empty if it could not be read.
    std::string_view type;
    /// Empty if the message is about no lock, or about all of them.
    std::string_view lock;
    std::size_t bytes = 0;
  };

  virtual ~Observer() = default;

  // A life of this peer.
  virtual void born(const PeerInstance&) {}
  /// The life is a member now, and can ask for locks.
  virtual void admitted() {}
  virtual void installed(Epoch, const recovery::View&) {}
  /// This peer proposes a view without that life.
  virtual void suspected(const PeerInstance&) {}
  /// The peer has left the group. This is the last call.
  virtual void gone() {}

  // A claim of this peer asks, and then enters or withdraws. Once inside, it leaves or loses the
  // lock.
  virtual void asked(std::string_view, Mode) {}
  virtual void entered(std::string_view, const Entry&) {}
  virtual void withdrew(std::string_view, Mode) {}
  virtual void left(std::string_view, Mode, Duration) {}
  virtual void lost(std::string_view, Mode, Duration) {}

  // Messages that a channel has taken or delivered. Between two lives, the n-th message that one
  // sends is the n-th that the other receives.
  virtual void sent(const PeerInstance&, const MessageNote&) {}
  virtual void received(const PeerInstance&, const MessageNote&) {}
  // Every payload that a channel has taken or delivered, whatever it is about.
  virtual void said(const PeerInstance&, std::string_view) {}
  virtual void heard(const PeerInstance&, std::string_view) {}
  /// Messages to this life that have not arrived may never arrive.
  virtual void forgot(const PeerInstance&) {}

  // Bytes of data that travel with a lock.
  virtual void data_sent(std::uint64_t) {}
  virtual void data_received(std::uint64_t) {}
};

}  // namespace conch::node
