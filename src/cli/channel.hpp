// What `conch lock` and the keeper of its command say to each other, over a pair of sockets. Both
// are this program, so a note is the bytes of its fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "register/directory.hpp"

namespace conch::cli {

enum class Word : std::uint8_t {
  // To the keeper, before the start.

  /// A descriptor to keep open while the command runs.
  keep,
  /// A descriptor that is readable when the lock is lost.
  loss,
  /// A descriptor of the page that says how long the lease runs.
  lease,
  /// So many milliseconds between TERM and KILL when the lock is lost.
  grace,
  /// So many milliseconds beyond the lease nobody enters.
  lock_delay,
  /// Start a command: `number` texts for its environment, then its words.
  start,

  // To the keeper, then.

  /// Send it the signal `number`.
  signal,
  /// We know how it ended, and are done.
  dismissed,

  // From the keeper.

  /// The command runs, as process `number`.
  started,
  /// It could not be started, for the errno `number`.
  failed,
  /// It has ended, with the wait status `number`.
  ended,
  /// It has ended, or did not begin, and perhaps not before the lock was lost. Nothing is left of
  /// it.
  lost,
};

struct Note {
  Word word{};
  int number = 0;
  std::vector<std::string> texts;
};

/// One end.
class Channel {
 public:
  static std::pair<Channel, Channel> make();

  int descriptor() const { return socket_.number(); }
  /// Sends a descriptor along, if there is one. False if the other has gone.
  bool send(const Note& note, int along = -1);
  /// Waits for a whole note. None if the other has gone.
  std::optional<Note> receive();
  /// What came along with the last.
  file::Descriptor take_along() { return std::move(along_); }

 private:
  explicit Channel(int socket) : socket_(socket) {}
  bool fill(void* bytes, std::size_t size);

  file::Descriptor socket_;
  file::Descriptor along_;
};

}  // namespace conch::cli
