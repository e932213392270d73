// Messages between `conch lock` and its keeper, over a socket pair. Both are the same program, so a
// message is just the bytes of its fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "register/directory.hpp"

namespace conch::cli {

enum class Word : std::uint8_t {
  // To the keeper, before the command starts.

  /// Carries a descriptor to keep open while the command runs.
  keep,
  /// Carries a descriptor that becomes readable when the lock is lost.
  loss,
  /// Carries the descriptor of the lease page.
  lease,
  /// Milliseconds between TERM and KILL when the lock is lost.
  grace,
  /// Lock delay in milliseconds: no process enters for this long after the lease.
  lock_delay,
  /// Starts a command: the first `number` texts are its environment, the rest its words.
  start,

  // To the keeper, after the start.

  /// Sends the signal `number` to the command.
  signal,
  /// `conch lock` knows how the command ended, and is done.
  dismissed,

  // From the keeper.

  /// The command runs as process `number`.
  started,
  /// The command could not be started, for the errno `number`.
  failed,
  /// The command has ended, with the wait status `number`.
  ended,
  /// The command has ended or was never started, perhaps after the lock was lost. None of its
  /// processes is left.
  lost,
};

struct KeeperMessage {
  Word word{};
  int number = 0;
  std::vector<std::string> texts;
};

/// One end of the socket pair.
class KeeperChannel {
 public:
  static std::pair<KeeperChannel, KeeperChannel> make();

  int descriptor() const { return socket_.number(); }
  /// Sends a descriptor along unless it is -1. False if the other side has gone.
  bool send(const KeeperMessage& note, int along = -1);
  /// Waits for a whole message. Empty if the other side has gone.
  std::optional<KeeperMessage> receive();
  /// The descriptor that came with the last message.
  net::Descriptor take_along() { return std::move(along_); }

 private:
  explicit KeeperChannel(int socket) : socket_(socket) {}
  bool fill(void* bytes, std::size_t size);

  net::Descriptor socket_;
  net::Descriptor along_;
};

}  // namespace conch::cli
