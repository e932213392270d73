// Runs a command under a lock, however the lock was obtained. Linux only.
//
//   Keeper keeper;        // early, while this process has one thread: it forks
//   ... obtain the lock; keeper.signals() tells when to give up ...
//   CommandEnd end = keeper.run({"make", "deploy"}, {"deploy", fence, kept, lost});
//   ... release the lock ...
//
// If `conch lock`, the keeper or the command is killed, the lock is not free before the command and
// its descendants have gone. The same holds if `conch lock` is stopped: the keeper itself sees that
// the lease is not renewed, and ends the command before it runs out. A command that ends by itself
// may leave background processes, which keep running without the lock, as with flock(1).
//
// Used by one thread.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/channel.hpp"
#include "cli/lost_command.hpp"
#include "register/directory.hpp"

namespace conch::cli {

struct UnderLock {
  /// $CONCH_LOCK and $CONCH_FENCE of the command.
  std::string lock;
  std::uint64_t fence = 0;
  /// While any process has one of them open, the lock is not given away. The keeper gets copies.
  std::vector<net::Descriptor> kept = {};
  /// Becomes readable when the lock is lost. The command is then asked to end, and after the grace
  /// it is killed with all its descendants. -1 if only the lease tells of a loss.
  int lost = -1;
  /// How long the lease runs; the command is ended before that. Null if unknown.
  const file::LeaseReader* lease = nullptr;
  Reprieve reprieve = {};
};

struct CommandEnd {
  enum class How : std::uint8_t {
    /// It ended with the status `number`.
    exited,
    /// The signal `number` killed it.
    killed,
    /// It could not be started, for the errno `number`.
    not_started,
    /// The lock was lost: the command was ended, or ended by itself but perhaps too late, or was
    /// never started.
    lost,
    /// Its keeper was killed, so we killed the command.
    abandoned,
  };
  How how = How::exited;
  int number = 0;

  bool operator==(const CommandEnd&) const = default;
};

/// The exit status as a shell reports it; 70, an internal error (sysexits.h), if it was abandoned.
int status_of(const CommandEnd& outcome, int lost_status = 76);

class Keeper {
 public:
  /// Forks, and blocks the forwarded signals in this thread and those that it starts. The command
  /// will get the environment, open files, ignored signals and process group of this moment. There
  /// must be no other thread yet.
  Keeper();
  /// Kills whatever still runs.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Becomes readable when a signal has arrived that is forwarded to the command: TERM, INT, HUP,
  /// QUIT, USR1 or USR2. Before `run` it means to give up.
  int signals() const { return signals_.number(); }
  /// The signal, if one has arrived.
  std::optional<int> take_signal();

  /// Call it once. Returns when the command has gone; then the lock can be released.
  CommandEnd run(const std::vector<std::string>& words, const UnderLock& under);

 private:
  void fork();
  bool instruct(const std::vector<std::string>& words, const UnderLock& under);
  std::optional<CommandEnd> await(const UnderLock& under);
  std::optional<CommandEnd> hear();
  void forward();
  void expect_end(const UnderLock& under);
  void dismiss_keeper();
  CommandEnd bury_keeper();
  int time_left_ms() const;

  pid_t group_;
  sigset_t mask_before_{};
  net::Descriptor signals_;
  std::optional<KeeperChannel> channel_;
  pid_t keeper_ = 0;
  pid_t command_ = 0;
  /// Set when the lock is lost: the keeper must have ended the command by then.
  std::optional<BootTime> end_due_;
};

}  // namespace conch::cli
