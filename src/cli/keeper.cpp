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
#include <limits>

#include "cli/command.hpp"
#include "cli/descendants.hpp"
#include "cli/keeper_process.hpp"
#include "cli/lock_exit.hpp"

namespace conch::cli {

namespace {

constexpr int internal_error_status = static_cast<int>(LockExit::keeper_killed);
/// A keeper that should have killed the command but says nothing may be stopped. After this long we
/// kill the command ourselves.
constexpr std::chrono::milliseconds keeper_patience{500};

sigset_t forwarded_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) ::sigaddset(&set, signal);
  return set;
}

CommandEnd outcome_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {CommandEnd::How::killed, WTERMSIG(wait_status)};
  return {CommandEnd::How::exited, WEXITSTATUS(wait_status)};
}

bool has_terminal() {
  return static_cast<bool>(net::Descriptor(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)));
}

/// Whether our process group is orphaned: no ancestor in our session is outside the group, so no
/// process could continue what the terminal stops. The kernel therefore does not let the terminal
/// stop it.
bool is_group_orphaned() {
  pid_t above = ::getppid();
  while (above > 0 && ::getsid(above) == ::getsid(0) && ::getpgid(above) == ::getpgrp())
    above = parent_of(above);
  return above <= 0 || ::getsid(above) != ::getsid(0);
}

/// With a keeper in a group of its own, ours would not be orphaned: the terminal could stop it, and
/// no process would continue it.
bool could_be_stopped_for_ever() { return is_group_orphaned() && has_terminal(); }

}  // namespace

int status_of(const CommandEnd& outcome, int lost_status) {
  switch (outcome.how) {
    case CommandEnd::How::exited: return outcome.number;
    case CommandEnd::How::killed: return 128 + outcome.number;
    case CommandEnd::How::not_started: return status_of_failed_start(outcome.number);
    case CommandEnd::How::lost: return lost_status;
    case CommandEnd::How::abandoned: return internal_error_status;
  }
  return internal_error_status;
}

Keeper::Keeper() : group_(::getpgrp()) {
  // If SIGCHLD were ignored, we could not learn how a child ended.
  std::signal(SIGCHLD, SIG_DFL);
  // If the keeper is killed, its children become ours.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &mask_before_);
  fork();
  sigset_t forwarded = forwarded_signals();
  signals_ = net::Descriptor(::signalfd(-1, &forwarded, SFD_CLOEXEC | SFD_NONBLOCK));
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &forwarded, nullptr);
}

void Keeper::fork() {
  auto [ours, its] = KeeperChannel::make();
  pid_t self = ::getpid();
  CommandPlan plan;
  plan.group = group_;
  plan.mask = mask_before_;
  bool apart = !could_be_stopped_for_ever();
  keeper_ = ::fork();
  if (keeper_ < 0) {
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    throw Error(std::string("cannot start the command's keeper: ") + std::strerror(errno));
  }
  if (keeper_ == 0) {
    { KeeperChannel other_end = std::move(ours); }
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

CommandEnd Keeper::run(const std::vector<std::string>& words, const UnderLock& under) {
  if (!instruct(words, under)) return bury_keeper();
  std::optional<CommandEnd> outcome;
  while (!outcome) outcome = await(under);
  dismiss_keeper();
  return *outcome;
}

bool Keeper::instruct(const std::vector<std::string>& words, const UnderLock& under) {
  auto number_of = [](Duration time) {
    auto count = std::chrono::ceil<std::chrono::milliseconds>(time).count();
    return static_cast<int>(std::clamp<std::int64_t>(count, 0, std::numeric_limits<int>::max()));
  };
  bool heard = true;
  for (const net::Descriptor& each : under.kept)
    heard = heard && channel_->send({Word::keep, 0, {}}, each.number());
  if (under.lost >= 0) heard = heard && channel_->send({Word::loss, 0, {}}, under.lost);
  if (under.lease) heard = heard && channel_->send({Word::lease, 0, {}}, under.lease->descriptor());
  KeeperMessage start{
      Word::start, 2, {"CONCH_LOCK=" + under.lock, "CONCH_FENCE=" + std::to_string(under.fence)}};
  start.texts.insert(start.texts.end(), words.begin(), words.end());
  return heard && channel_->send({Word::grace, number_of(under.reprieve.grace), {}}) &&
         channel_->send({Word::lock_delay, number_of(under.reprieve.lock_delay), {}}) &&
         channel_->send(start);
}

void Keeper::dismiss_keeper() {
  if (keeper_ == 0) return;
  channel_->send({Word::dismissed, 0, {}});
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
  keeper_ = 0;
}

std::optional<CommandEnd> Keeper::await(const UnderLock& under) {
  std::array<pollfd, 3> sources{{{channel_->descriptor(), POLLIN, 0},
                                 {command_ != 0 ? signals_.number() : -1, POLLIN, 0},
                                 {end_due_ ? -1 : under.lost, POLLIN, 0}}};
  if (::poll(sources.data(), sources.size(), time_left_ms()) < 0) return std::nullopt;
  if (sources[1].revents != 0) forward();
  if (sources[2].revents != 0) expect_end(under);
  if (sources[0].revents != 0) return hear();
  if (end_due_ && *end_due_ <= file::BootClock::now()) ::kill(keeper_, SIGKILL);
  return std::nullopt;
}

std::optional<CommandEnd> Keeper::hear() {
  auto note = channel_->receive();
  if (!note) return bury_keeper();
  switch (note->word) {
    case Word::started: command_ = note->number; return std::nullopt;
    case Word::failed: return CommandEnd{CommandEnd::How::not_started, note->number};
    case Word::ended: return outcome_of(note->number);
    case Word::lost: return CommandEnd{CommandEnd::How::lost, 0};
    case Word::keep:
    case Word::loss:
    case Word::lease:
    case Word::grace:
    case Word::lock_delay:
    case Word::start:
    case Word::signal:
    case Word::dismissed: break;
  }
  return std::nullopt;
}

/// A signal from the terminal reaches the whole process group, so its members have it already. For
/// this reason nothing is forwarded before we know the command, which may have been interrupted by
/// then.
void Keeper::forward() {
  signalfd_siginfo signal{};
  while (::read(signals_.number(), &signal, sizeof signal) > 0) {
    bool has_it = signal.ssi_code == SI_KERNEL && ::getpgid(command_) == group_;
    if (!has_it) channel_->send({Word::signal, static_cast<int>(signal.ssi_signo), {}});
  }
}

/// Sets when the keeper, which sees the loss by itself, must have ended the command.
void Keeper::expect_end(const UnderLock& under) {
  BootTime now = file::BootClock::now();
  end_due_ = keeper_patience + (under.lease ? kill_at(now, under.lease->read(), under.reprieve)
                                            : kill_at(now, under.reprieve));
}

/// The command dies with its keeper; its descendants have become ours.
CommandEnd Keeper::bury_keeper() {
  kill_descendants();
  keeper_ = 0;
  return {end_due_ ? CommandEnd::How::lost : CommandEnd::How::abandoned, 0};
}

int Keeper::time_left_ms() const {
  if (!end_due_) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_due_ - file::BootClock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
}

}  // namespace conch::cli
