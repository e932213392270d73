#include "cli/keeper_process.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <csignal>
#include <utility>

#include "cli/descendants.hpp"

namespace conch::cli {

namespace {

file::Descriptor deaths_of_children() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  return file::Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

KeeperProcess::KeeperProcess(Channel channel, pid_t parent, CommandPlan plan, bool apart)
    : channel_(std::move(channel)),
      parent_(static_cast<int>(::syscall(SYS_pidfd_open, parent, 0))),
      deaths_(deaths_of_children()),
      plan_(std::move(plan)) {
  if (apart) ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "lock keeper");  // not conch: `pkill conch` must leave one to clean up
  // If it has died already the number may be somebody else's.
  if (!parent_ || !deaths_ || ::getppid() != parent) is_alone_ = true;
}

void KeeperProcess::live() {
  while (!is_alone_ && !is_dismissed_) {
    std::array<pollfd, 4> sources{{{command_ ? command_->news() : -1, POLLIN, 0},
                                   {deaths_.number(), POLLIN, 0},
                                   {channel_.descriptor(), POLLIN, 0},
                                   {parent_.number(), POLLIN, 0}}};
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;
    if (sources[0].revents != 0) hear_of_the_start();
    if (sources[1].revents != 0) hear_of_the_dead();
    if (sources[2].revents != 0) {
      auto note = channel_.receive();
      if (note) obey(*note);
      is_alone_ = !note;
    }
    if (sources[3].revents != 0) is_alone_ = true;
  }
  if (is_alone_) kill_all();
}

void KeeperProcess::obey(const Note& note) {
  switch (note.word) {
    case Word::start: return start(note);
    case Word::signal:
      // It has its number as long as nobody has asked how it ended, and only we do.
      if (command_ && !status_) ::kill(command_->process(), note.number);
      return;
    case Word::leave_nothing: leaves_nothing_ = true; return;
    case Word::kill: leaves_nothing_ = true; return kill_all();
    case Word::dismissed: is_dismissed_ = true; return;
    case Word::started:
    case Word::failed:
    case Word::ended: return;
  }
}

void KeeperProcess::start(const Note& note) try {
  kept_ = channel_.take_along();
  plan_.environment.assign(note.texts.begin(), note.texts.begin() + note.number);
  plan_.words.assign(note.texts.begin() + note.number, note.texts.end());
  command_.emplace(plan_);
} catch (const Error&) {
  say(Word::failed, EAGAIN);
}

void KeeperProcess::hear_of_the_start() {
  failure_ = command_->take_news();
  if (!failure_) say(Word::started, command_->process());
}

void KeeperProcess::hear_of_the_dead() {
  signalfd_siginfo ignored{};
  while (::read(deaths_.number(), &ignored, sizeof ignored) > 0) {
  }
  reap([this](pid_t process, int status) { note_end(process, status); });
  if (status_ && leaves_nothing_) kill_all();
}

/// Others are orphans that came to us.
void KeeperProcess::note_end(pid_t process, int status) {
  if (!command_ || process != command_->process()) return;
  if (command_->news() >= 0) hear_of_the_start();
  status_ = status;
  if (failure_) say(Word::failed, *failure_);
  if (!failure_) say(Word::ended, status);
}

void KeeperProcess::kill_all() {
  kill_descendants([this](pid_t process, int status) { note_end(process, status); });
}

}  // namespace conch::cli
