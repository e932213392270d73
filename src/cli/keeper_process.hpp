// The keeper of a command: a process between `conch lock` and the command that runs under the lock.
// It has open the descriptors that keep the lock taken. When `conch lock` dies, the keeper kills
// the command and all its descendants before it ends itself, so the lock is free only when no
// process acts under it any more. When the lock is lost, or the lease is not renewed, the keeper
// ends the command within the lease (lost_command.hpp). It does so by itself, because `conch lock`
// may be stopped.
//
//   conch lock  -- messages ->  keeper  --- fork, exec --->  command  ---> ...
//   group G                     group of its own             group G
//
// It is a subreaper, so no descendant of the command escapes it. It blocks all signals, and is out
// of reach of the terminal and of kills of the process group. There is one exception: it stays in
// an orphaned process group that has a terminal.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "cli/channel.hpp"
#include "cli/command.hpp"
#include "cli/lost_command.hpp"
#include "register/directory.hpp"
#include "register/lease_page.hpp"

namespace conch::cli {

class KeeperProcess {
 public:
  /// Call it in a process just forked, with all signals blocked. The words and the environment of
  /// the plan follow later. If `apart`, the keeper moves to a process group of its own.
  KeeperProcess(KeeperChannel channel, pid_t parent, CommandPlan plan, bool apart);

  /// Runs until `conch lock` is done or has died. `conch lock` and the command may be killed at
  /// once, and the command may be the first to die.
  void live();

 private:
  enum class Stage : std::uint8_t { running, asked_to_end, killed };

  void obey(const KeeperMessage& note);
  void watch_lease();
  void start(const KeeperMessage& note);
  bool is_held() const;
  void mind_lease();
  void ask_to_end();
  void hear_of_loss();
  void set_alarm();
  void hear_of_the_start();
  void hear_of_the_dead();
  void note_end(pid_t process, int status);
  void report();
  void leave_nothing();
  void say(Word word, int number) { channel_.send({word, number, {}}); }
  void kill_all();

  KeeperChannel channel_;
  net::Descriptor parent_;
  net::Descriptor deaths_;
  net::Descriptor alarm_;
  CommandPlan plan_;

  /// While these are open, the lock is not given away.
  std::vector<net::Descriptor> kept_;
  net::Descriptor loss_;
  std::optional<file::LeaseReader> lease_;
  Reprieve reprieve_;
  Stage stage_ = Stage::running;
  BootTime asked_at_{};
  BootTime kill_at_{};
  std::optional<Command> command_;
  /// The errno of a failed start.
  std::optional<int> failure_;
  /// The command's wait status, and whether the lock was held until it ended.
  std::optional<int> status_;
  bool was_held_ = false;
  bool is_reported_ = false;
  bool is_dismissed_ = false;
  bool is_alone_ = false;
};

}  // namespace conch::cli
