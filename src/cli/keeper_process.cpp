#include "cli/keeper_process.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <csignal>
#include <tuple>
#include <utility>

#include "cli/descendants.hpp"
#include "register/register.hpp"

namespace conch::cli {

namespace {

net::Descriptor deaths_of_children() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  return net::Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool is_readable(const net::Descriptor& descriptor) {
  pollfd one{descriptor.number(), POLLIN, 0};
  return descriptor && ::poll(&one, 1, 0) > 0;
}

}  // namespace

KeeperProcess::KeeperProcess(KeeperChannel channel, pid_t parent, CommandPlan plan, bool apart)
    : channel_(std::move(channel)),
      parent_(static_cast<int>(::syscall(SYS_pidfd_open, parent, 0))),
      deaths_(deaths_of_children()),
      alarm_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)),
      plan_(std::move(plan)) {
  if (apart) ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "lock keeper");  // not "conch", so that `pkill conch` spares it
  // If the parent has died already, the pidfd may be of another process.
  if (!parent_ || !deaths_ || !alarm_ || ::getppid() != parent) is_alone_ = true;
}

void KeeperProcess::live() {
  while (!is_alone_ && !is_dismissed_) {
    bool may_be_lost = command_ && stage_ != Stage::killed;
    std::array<pollfd, 6> sources{{{command_ ? command_->news() : -1, POLLIN, 0},
                                   {deaths_.number(), POLLIN, 0},
                                   {channel_.descriptor(), POLLIN, 0},
                                   {parent_.number(), POLLIN, 0},
                                   {may_be_lost ? loss_.number() : -1, POLLIN, 0},
                                   {alarm_.number(), POLLIN, 0}}};
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;
    if (sources[0].revents != 0) hear_of_the_start();
    if (sources[1].revents != 0) hear_of_the_dead();
    if (sources[2].revents != 0) {
      auto note = channel_.receive();
      if (note) obey(*note);
      is_alone_ = !note;
    }
    if (sources[3].revents != 0) is_alone_ = true;
    if (sources[4].revents != 0) hear_of_loss();
    if (sources[5].revents != 0) mind_lease();
  }
  if (is_alone_) kill_all();
}

void KeeperProcess::obey(const KeeperMessage& note) {
  switch (note.word) {
    case Word::keep: kept_.push_back(channel_.take_along()); return;
    case Word::loss: loss_ = channel_.take_along(); return;
    case Word::lease: return watch_lease();
    case Word::grace: reprieve_.grace = std::chrono::milliseconds(note.number); return;
    case Word::lock_delay: reprieve_.lock_delay = std::chrono::milliseconds(note.number); return;
    case Word::start: return start(note);
    case Word::signal:
      // The process id stays valid until the process is waited for, and only we do that.
      if (command_ && !status_) ::kill(command_->process(), note.number);
      return;
    case Word::dismissed: is_dismissed_ = true; return;
    case Word::started:
    case Word::failed:
    case Word::ended:
    case Word::lost: return;
  }
}

/// `conch lock` checked the page before it sent it.
void KeeperProcess::watch_lease() try {
  lease_.emplace(channel_.take_along());
} catch (const RegisterError&) {
  is_alone_ = true;
}

void KeeperProcess::start(const KeeperMessage& note) try {
  if (!is_held()) return say(Word::lost, 0);
  plan_.environment.assign(note.texts.begin(), note.texts.begin() + note.number);
  plan_.words.assign(note.texts.begin() + note.number, note.texts.end());
  command_.emplace(plan_);
  set_alarm();
} catch (const Error&) {
  say(Word::failed, EAGAIN);
}

// The lock.

bool KeeperProcess::is_held() const {
  bool has_lease = !lease_ || file::BootClock::now() < lease_->read().end;
  return stage_ == Stage::running && has_lease && !is_readable(loss_);
}

/// Sets the timer for the next action if the lease is not renewed.
void KeeperProcess::set_alarm() {
  bool is_running = stage_ == Stage::running;
  if (is_running && !lease_) return;
  BootTime due = is_running ? ask_to_end_at(lease_->read()) : kill_at_;
  itimerspec at{{0, 0}, file::on_own_clock(due.time_since_epoch())};
  ::timerfd_settime(alarm_.number(), TFD_TIMER_ABSTIME, &at, nullptr);
}

void KeeperProcess::mind_lease() {
  std::uint64_t ignored = 0;
  std::ignore = ::read(alarm_.number(), &ignored, sizeof ignored);
  if (!command_ || status_) return;
  BootTime now = file::BootClock::now();
  if (stage_ == Stage::running) {
    if (now < ask_to_end_at(lease_->read())) return set_alarm();
    return ask_to_end();
  }
  if (now < kill_at_) return set_alarm();
  kill_all();
  report();
}

void KeeperProcess::hear_of_loss() {
  if (status_) return void(loss_ = {});
  ask_to_end();
  loss_ = {};
}

/// May be called again when there is less time left than before.
void KeeperProcess::ask_to_end() {
  bool is_news = stage_ == Stage::running;
  if (is_news) {
    asked_at_ = file::BootClock::now();
    ::kill(command_->process(), SIGTERM);
    ::kill(command_->process(), SIGCONT);  // a stopped process would not react
    stage_ = Stage::asked_to_end;
  }
  BootTime due =
      lease_ ? kill_at(asked_at_, lease_->read(), reprieve_) : kill_at(asked_at_, reprieve_);
  kill_at_ = is_news ? due : std::min(kill_at_, due);
  set_alarm();
}

// The command.

void KeeperProcess::hear_of_the_start() {
  failure_ = command_->take_news();
  if (!failure_) say(Word::started, command_->process());
}

void KeeperProcess::hear_of_the_dead() {
  signalfd_siginfo ignored{};
  while (::read(deaths_.number(), &ignored, sizeof ignored) > 0) {
  }
  reap([this](pid_t process, int status) { note_end(process, status); });
  report();
}

/// Ignores other processes: they are orphans that we have inherited.
void KeeperProcess::note_end(pid_t process, int status) {
  if (!command_ || process != command_->process()) return;
  if (command_->news() >= 0) hear_of_the_start();
  was_held_ = is_held();
  status_ = status;
}

/// Reports the end of the command, once.
void KeeperProcess::report() {
  if (!status_ || std::exchange(is_reported_, true)) return;
  if (!was_held_) return leave_nothing();
  failure_ ? say(Word::failed, *failure_) : say(Word::ended, *status_);
}

/// Lets the lock go, even while `conch lock` is stopped: shutting down a connection ends it for
/// every process that has a copy.
void KeeperProcess::leave_nothing() {
  kill_all();
  for (const net::Descriptor& each : kept_) ::shutdown(each.number(), SHUT_RDWR);
  kept_.clear();
  say(Word::lost, 0);
}

void KeeperProcess::kill_all() {
  stage_ = Stage::killed;
  kill_descendants([this](pid_t process, int status) { note_end(process, status); });
}

}  // namespace conch::cli
