// The keeper of a command: a process between `conch lock` and the command that it runs under the
// lock. It keeps open what says that the lock is taken. When `conch lock` dies, however it does,
// the keeper kills the command and all that came of it, and only then dies itself: the lock is free
// when nobody acts under it any more. When the lock is lost, or the lease is not renewed, the
// keeper ends the command within the lease (lost_command.hpp), by itself: `conch lock` may be
// stopped.
//
//   conch lock  --- notes --->  keeper  --- fork, exec --->  command  ---> ...
//   group G                     group of its own             group G
//
// It is a subreaper, so that no descendant of the command escapes it; it blocks all signals, and
// neither the terminal nor whoever kills a process group reaches it. The exception is a group that
// has a terminal and nobody to continue it when it is stopped: there the keeper stays in it.
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
  /// In a process just forked, with all signals blocked. The plan has the words and the environment
  /// still to come. `apart`: in a process group of its own.
  KeeperProcess(Channel channel, pid_t parent, CommandPlan plan, bool apart);

  /// Until `conch lock` says that it is done, or has died: it and the command may be killed in one
  /// go, and the command may be the first to die.
  void live();

 private:
  enum class Stage : std::uint8_t { running, asked_to_end, killed };

  void obey(const Note& note);
  void watch_lease();
  void start(const Note& note);
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

  Channel channel_;
  file::Descriptor parent_;
  file::Descriptor deaths_;
  file::Descriptor alarm_;
  CommandPlan plan_;

  /// While they are open the lock is not given away.
  std::vector<file::Descriptor> kept_;
  file::Descriptor loss_;
  std::optional<file::LeaseReader> lease_;
  Reprieve reprieve_;
  Stage stage_ = Stage::running;
  BootTime asked_at_{};
  BootTime kill_at_{};
  std::optional<Command> command_;
  /// Why it could not be started.
  std::optional<int> failure_;
  /// How it ended, and whether the lock was held until then.
  std::optional<int> status_;
  bool was_held_ = false;
  bool is_reported_ = false;
  bool is_dismissed_ = false;
  bool is_alone_ = false;
};

}  // namespace conch::cli
