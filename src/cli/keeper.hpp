// Runs a command under a lock, however the lock was obtained. Linux only.
//
//   Keeper keeper;                          // early: it forks, and a fork has one thread
//   ... obtain the lock; keeper.signals() tells when to give up ...
//   Outcome outcome = keeper.run({"make", "deploy"}, {"deploy", fence, kept, lost});
//   ... release the lock ...
//
// Whatever is killed, `conch lock`, the keeper or the command: the lock is not free before the
// command and its descendants have gone. Nor if `conch lock` is stopped: the keeper sees by itself
// when the lease is not renewed, and ends the command before it runs out. A command that ends by
// itself may leave processes behind that go on without the lock, as with flock(1).
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
  /// While anybody has one of them open the lock is not given away; the keeper gets copies.
  std::vector<file::Descriptor> kept = {};
  /// Becomes readable when the lock is lost: then the command is asked to end, and killed if it has
  /// not after the grace, and all its descendants. -1: only the lease says it.
  int lost = -1;
  /// How long the lease runs: the command is ended within it. Null: nobody knows.
  const file::LeaseReader* lease = nullptr;
  Reprieve reprieve = {};
};

struct Outcome {
  enum class How : std::uint8_t {
    /// With the status `number`.
    exited,
    /// By the signal `number`.
    killed,
    /// For the errno `number`.
    not_started,
    /// The lock was lost, and the command was ended; or it ended, but perhaps later than that; or
    /// it was not even started.
    lost,
    /// Its keeper was killed, and so we killed the command.
    abandoned,
  };
  How how = How::exited;
  int number = 0;

  bool operator==(const Outcome&) const = default;
};

/// What a shell says of it; 70, an internal error (sysexits.h), if it was abandoned.
int status_of(const Outcome& outcome, int lost_status = 76);

class Keeper {
 public:
  /// Forks, and blocks in this thread, and those that it starts, the signals that are forwarded.
  /// The command will have the environment, the open files, the ignored signals and the process
  /// group that we have now. Before that there must be no other thread.
  Keeper();
  /// Kills what still runs.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Readable when a signal has come that is forwarded to the command: TERM, INT, HUP, QUIT, USR1,
  /// USR2. Before `run` it means to give up.
  int signals() const { return signals_.number(); }
  /// Which, if one has come.
  std::optional<int> take_signal();

  /// Once. Returns when the command has gone; the lock can be released then.
  Outcome run(const std::vector<std::string>& words, const UnderLock& under);

 private:
  void fork();
  bool instruct(const std::vector<std::string>& words, const UnderLock& under);
  std::optional<Outcome> await(const UnderLock& under);
  std::optional<Outcome> hear();
  void forward();
  void expect_end(const UnderLock& under);
  void dismiss_keeper();
  Outcome bury_keeper();
  int time_left_ms() const;

  pid_t group_;
  sigset_t mask_before_{};
  file::Descriptor signals_;
  std::optional<Channel> channel_;
  pid_t keeper_ = 0;
  pid_t command_ = 0;
  /// The lock is lost: by then the keeper must have ended the command.
  std::optional<BootTime> end_due_;
};

}  // namespace conch::cli
