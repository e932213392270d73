// The keeper of a command: a process between `conch lock` and the command that it runs under the
// lock. It keeps open what says that the lock is taken. When `conch lock` dies, however it does,
// the keeper kills the command and all that came of it, and only then dies itself: the lock is free
// when nobody acts under it any more.
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

#include "cli/channel.hpp"
#include "cli/command.hpp"
#include "register/directory.hpp"

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
  void obey(const Note& note);
  void start(const Note& note);
  void hear_of_the_start();
  void hear_of_the_dead();
  void note_end(pid_t process, int status);
  void say(Word word, int number) { channel_.send({word, number, {}}); }
  void kill_all();

  Channel channel_;
  file::Descriptor parent_;
  file::Descriptor deaths_;
  CommandPlan plan_;

  /// While it is open the lock is not given away.
  file::Descriptor kept_;
  std::optional<Command> command_;
  /// Why it could not be started.
  std::optional<int> failure_;
  /// How it ended.
  std::optional<int> status_;
  bool leaves_nothing_ = false;
  bool is_dismissed_ = false;
  bool is_alone_ = false;
};

}  // namespace conch::cli
