#include "cli/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <cstring>

#include "cli/command.hpp"
#include "cli/descendants.hpp"
#include "cli/keeper_process.hpp"
#include "cli/lock_exit.hpp"

namespace conch::cli {

namespace {

constexpr int internal_error_status = static_cast<int>(LockExit::keeper_killed);
/// A keeper that has been told to kill and says nothing is stopped, perhaps; we do it ourselves.
constexpr std::chrono::seconds keeper_patience{2};

sigset_t forwarded_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) ::sigaddset(&set, signal);
  return set;
}

bool is_readable(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return descriptor >= 0 && ::poll(&one, 1, 0) > 0;
}

Outcome outcome_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {Outcome::How::killed, WTERMSIG(wait_status)};
  return {Outcome::How::exited, WEXITSTATUS(wait_status)};
}

bool has_terminal() {
  return static_cast<bool>(file::Descriptor(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)));
}

/// Whether nobody in our session but outside of our process group is above us: nobody could
/// continue what the terminal stops, so that the kernel does not let it (an orphaned group).
bool is_group_orphaned() {
  pid_t above = ::getppid();
  while (above > 0 && ::getsid(above) == ::getsid(0) && ::getpgid(above) == ::getpgrp())
    above = parent_of(above);
  return above <= 0 || ::getsid(above) != ::getsid(0);
}

/// A keeper in a group of its own would be taken for one that continues what was stopped.
bool could_be_stopped_for_ever() { return is_group_orphaned() && has_terminal(); }

}  // namespace

int status_of(const Outcome& outcome, int lost_status) {
  switch (outcome.how) {
    case Outcome::How::exited: return outcome.number;
    case Outcome::How::killed: return 128 + outcome.number;
    case Outcome::How::not_started: return status_of_failed_start(outcome.number);
    case Outcome::How::lost: return lost_status;
    case Outcome::How::abandoned: return internal_error_status;
  }
  return internal_error_status;
}

Keeper::Keeper() : group_(::getpgrp()) {
  // Whoever ignores it is not told how a child ended.
  std::signal(SIGCHLD, SIG_DFL);
  // If the keeper is killed, what it kept becomes ours.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &mask_before_);
  fork();
  sigset_t forwarded = forwarded_signals();
  signals_ = file::Descriptor(::signalfd(-1, &forwarded, SFD_CLOEXEC | SFD_NONBLOCK));
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &forwarded, nullptr);
}

void Keeper::fork() {
  auto [ours, its] = Channel::make();
  pid_t self = ::getpid();
  CommandPlan plan;
  plan.group = group_;
  plan.mask = mask_before_;
  bool apart = !could_be_stopped_for_ever();
  keeper_ = ::fork();
  if (keeper_ < 0) {
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    throw Error(std::string("there is no process to keep the command: ") + std::strerror(errno));
  }
  if (keeper_ == 0) {
    { Channel other_end = std::move(ours); }
    KeeperProcess(std::move(its), self, plan, apart).live();
    ::_exit(0);
  }
  channel_ = std::move(ours);
}

Keeper::~Keeper() {
  channel_.reset();
  if (keeper_ > 0)
    while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

std::optional<int> Keeper::take_signal() {
  signalfd_siginfo signal{};
  if (::read(signals_.number(), &signal, sizeof signal) <= 0) return std::nullopt;
  return static_cast<int>(signal.ssi_signo);
}

Outcome Keeper::run(const std::vector<std::string>& words, const UnderLock& under) {
  Note note{
      Word::start, 2, {"CONCH_LOCK=" + under.lock, "CONCH_FENCE=" + std::to_string(under.fence)}};
  note.texts.insert(note.texts.end(), words.begin(), words.end());
  if (!channel_->send(note, under.kept)) return bury_keeper();
  std::optional<Outcome> outcome;
  while (!outcome) outcome = await(under);
  // It may have done its last things without the lock.
  bool was_lost = stage_ != Stage::running || is_readable(under.lost);
  dismiss_keeper(was_lost);
  return was_lost ? Outcome{Outcome::How::lost, 0} : *outcome;
}

void Keeper::dismiss_keeper(bool leaving_nothing) {
  if (keeper_ == 0) return;
  if (leaving_nothing) channel_->send({Word::kill, 0, {}});
  channel_->send({Word::dismissed, 0, {}});
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
  keeper_ = 0;
  if (leaving_nothing) kill_descendants();  // if it was killed before it could
}

std::optional<Outcome> Keeper::await(const UnderLock& under) {
  bool may_be_lost = stage_ == Stage::running && under.lost >= 0;
  std::array<pollfd, 3> sources{{{channel_->descriptor(), POLLIN, 0},
                                 {command_ != 0 ? signals_.number() : -1, POLLIN, 0},
                                 {may_be_lost ? under.lost : -1, POLLIN, 0}}};
  int count = ::poll(sources.data(), sources.size(), time_left_ms());
  if (count < 0) return std::nullopt;
  if (count == 0) go_on_ending();
  if (sources[1].revents != 0) forward();
  if (sources[2].revents != 0) ask_to_end(under.grace);
  if (sources[0].revents != 0) return hear();
  return std::nullopt;
}

std::optional<Outcome> Keeper::hear() {
  auto note = channel_->receive();
  if (!note) return bury_keeper();
  switch (note->word) {
    case Word::started: command_ = note->number; return std::nullopt;
    case Word::failed: return Outcome{Outcome::How::not_started, note->number};
    case Word::ended: return outcome_of(note->number);
    case Word::start:
    case Word::signal:
    case Word::leave_nothing:
    case Word::kill:
    case Word::dismissed: break;
  }
  return std::nullopt;
}

/// What comes from the terminal comes to the whole process group: who is in it has got it already.
/// So nothing is forwarded before we know the command, which may have been interrupted by then.
void Keeper::forward() {
  signalfd_siginfo signal{};
  while (::read(signals_.number(), &signal, sizeof signal) > 0) {
    bool has_it = signal.ssi_code == SI_KERNEL && ::getpgid(command_) == group_;
    if (!has_it) channel_->send({Word::signal, static_cast<int>(signal.ssi_signo), {}});
  }
}

void Keeper::ask_to_end(std::chrono::milliseconds grace) {
  channel_->send({Word::leave_nothing, 0, {}});
  channel_->send({Word::signal, SIGTERM, {}});
  channel_->send({Word::signal, SIGCONT, {}});  // or it does not hear us
  stage_ = Stage::asked_to_end;
  deadline_ = Clock::now() + grace;
}

void Keeper::go_on_ending() {
  if (!deadline_ || Clock::now() < *deadline_) return;
  switch (stage_) {
    case Stage::asked_to_end:
      channel_->send({Word::kill, 0, {}});
      stage_ = Stage::killing;
      deadline_ = Clock::now() + keeper_patience;
      return;
    case Stage::killing:
      ::kill(keeper_, SIGKILL);
      stage_ = Stage::keeper_killed;
      deadline_.reset();
      return;
    case Stage::running:
    case Stage::keeper_killed: return;
  }
}

/// The command dies with it. What came of the command has become ours.
Outcome Keeper::bury_keeper() {
  kill_descendants();
  keeper_ = 0;
  return {Outcome::How::abandoned, 0};
}

int Keeper::time_left_ms() const {
  if (!deadline_) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
}

}  // namespace conch::cli
