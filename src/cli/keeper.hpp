// Runs a command under a lock, however the lock was obtained. Linux only.
//
//   Keeper keeper;                          // early: it forks, and a fork has one thread
//   ... obtain the lock; keeper.signals() tells when to give up ...
//   Outcome outcome = keeper.run({"make", "deploy"}, {"deploy", fence, kept, lost});
//   ... release the lock ...
//
// Whatever is killed, `conch lock`, the keeper or the command: the lock is not free before the
// command and its descendants have gone. A command that ends by itself may leave processes behind
// that go on without the lock, as with flock(1).
//
// Used by one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/channel.hpp"
#include "register/directory.hpp"

namespace conch::cli {

struct UnderLock {
  /// $CONCH_LOCK and $CONCH_FENCE of the command.
  std::string lock;
  std::uint64_t fence = 0;
  /// While anybody has it open the lock is not given away; the keeper gets a copy. -1: none.
  int kept = -1;
  /// Becomes readable when the lock is lost: then the command is asked to end, and killed if it has
  /// not after the grace, and all its descendants. -1: it cannot be lost.
  int lost = -1;
  std::chrono::milliseconds grace = std::chrono::seconds(5);
};

struct Outcome {
  enum class How : std::uint8_t {
    /// With the status `number`.
    exited,
    /// By the signal `number`.
    killed,
    /// For the errno `number`.
    not_started,
    /// The lock was lost, and the command was ended; or it ended, but perhaps later than that.
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
  enum class Stage : std::uint8_t { running, asked_to_end, killing, keeper_killed };
  using Clock = std::chrono::steady_clock;

  void fork();
  std::optional<Outcome> await(const UnderLock& under);
  std::optional<Outcome> hear();
  void forward();
  void ask_to_end(std::chrono::milliseconds grace);
  void go_on_ending();
  void dismiss_keeper(bool leaving_nothing);
  Outcome bury_keeper();
  int time_left_ms() const;

  pid_t group_;
  sigset_t mask_before_{};
  file::Descriptor signals_;
  std::optional<Channel> channel_;
  pid_t keeper_ = 0;
  pid_t command_ = 0;
  Stage stage_ = Stage::running;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace conch::cli
