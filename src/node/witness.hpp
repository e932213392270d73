// Somebody who is told what a peer does, while it does it: a trace, metrics.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/types.hpp"
#include "recovery/view.hpp"

namespace conch::node {

/// All calls are made in the order in which things happen, by whichever
/// thread tells the node: a witness takes a note, and neither blocks nor calls the node.
class Witness {
 public:
  /// How a claim entered.
  struct Entry {
    Mode mode = Mode::write;
    Fence fence;
    Duration waited{};
    /// The lock came from another peer for it, or anew from an epoch; else it was here.
    bool came = false;
  };
  /// A message of the recovery, or of a lock's algorithm.
  struct Note {
    /// As in `REQUEST`; empty if it could not be read.
    std::string_view type;
    /// Empty if it is about none, or about all.
    std::string_view lock;
    std::size_t bytes = 0;
  };

  virtual ~Witness() = default;

  // A life of this peer.
  virtual void born(const recovery::Life&) {}
  /// The life is a member: from now on its locks can be asked for.
  virtual void admitted() {}
  virtual void installed(Epoch, const recovery::View&) {}
  /// This peer proposes to go on without that one.
  virtual void suspected(const recovery::Life&) {}
  /// The peer has left the group; nothing comes after it.
  virtual void gone() {}

  // A claim of this peer: it asks, and enters or withdraws; then it leaves, or has lost the lock.
  virtual void asked(std::string_view, Mode) {}
  virtual void entered(std::string_view, const Entry&) {}
  virtual void withdrew(std::string_view, Mode) {}
  virtual void left(std::string_view, Mode, Duration) {}
  virtual void lost(std::string_view, Mode, Duration) {}

  // Messages that reach the channel, and those that came out of it: between two lives, the n-th
  // that one sent is the n-th that the other receives.
  virtual void sent(const recovery::Life&, const Note&) {}
  virtual void received(const recovery::Life&, const Note&) {}
  // The same of every payload, whatever it is about.
  virtual void said(const recovery::Life&, std::string_view) {}
  virtual void heard(const recovery::Life&, std::string_view) {}
  /// What was sent to it and has not come may never come.
  virtual void forgot(const recovery::Life&) {}

  // Bytes of data that travel with a lock.
  virtual void data_sent(std::uint64_t) {}
  virtual void data_received(std::uint64_t) {}
};

}  // namespace conch::node
