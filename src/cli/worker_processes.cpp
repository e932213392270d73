#include "cli/worker_processes.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>

#include "catalog/catalog.hpp"

namespace conch::cli {

namespace {

constexpr Seconds look_again = std::chrono::milliseconds(1);

sigset_t signals_of_interest() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, number);
  return set;
}

/// Signals stay blocked: Ctrl-C goes to the whole foreground group, and our parent ends us.
[[noreturn]] void live(const std::function<void()>& work, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the prctl
  try {
    work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "conch: process {}: {}\n", ::getpid(), error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

void check_algorithm(const std::string& name) {
  const CatalogEntry& entry = find_algorithm(name);
  if (!entry.about.is_sound())
    throw std::runtime_error(
        fmt::format("{} is a specimen: it breaks {}", name, entry.about.caught_by));
}

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void doze(Seconds time) {
  auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  timespec left{ns / 1'000'000'000, ns % 1'000'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

WorkerProcesses::WorkerProcesses() {
  sigset_t set = signals_of_interest();
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  signals_ = net::Descriptor(checked(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"));
}

WorkerProcesses::~WorkerProcesses() {
  for (const Member& member : members_)
    if (!member.ended) ::kill(member.process, SIGKILL);
  for (const Member& member : members_)
    while (!member.ended && ::waitpid(member.process, nullptr, 0) < 0 && errno == EINTR) continue;
  // Discards what is still pending, such as the deaths of the workers.
  signalfd_siginfo info{};
  while (::read(signals_.number(), &info, sizeof info) == sizeof info) continue;
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

WorkerProcesses::Number WorkerProcesses::begin(const std::function<void()>& work) {
  std::fflush(nullptr);
  pid_t parent = ::getpid();
  pid_t process = checked(::fork(), "fork");
  if (process == 0) live(work, parent);
  members_.push_back({process});
  return members_.size() - 1;
}

void WorkerProcesses::signal(Number member, int number) const {
  if (!members_[member].ended) ::kill(members_[member].process, number);
}

void WorkerProcesses::kill(Number member) {
  members_[member].killed = true;
  signal(member, SIGKILL);
}

void WorkerProcesses::reap() {
  for (Member& member : members_) {
    int status = 0;
    if (member.ended || ::waitpid(member.process, &status, WNOHANG) != member.process) continue;
    member.ended = true;
    if (WIFSIGNALED(status) && !member.killed)
      throw std::runtime_error(fmt::format("process {} was killed by signal {} ({})",
                                           member.process, WTERMSIG(status),
                                           ::strsignal(WTERMSIG(status))));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
      throw std::runtime_error(fmt::format("process {} has failed", member.process));
  }
}

void WorkerProcesses::take_signal() {
  signalfd_siginfo info{};
  if (::read(signals_.number(), &info, sizeof info) != sizeof info) return;
  if (info.ssi_signo != SIGCHLD) throw Interruption(static_cast<int>(info.ssi_signo));
  reap();
}

void WorkerProcesses::rest(Seconds time) {
  std::uint64_t end = now_ns() + static_cast<std::uint64_t>(time.count() * 1e9);
  for (std::uint64_t now = now_ns(); now < end; now = now_ns()) {
    pollfd source{signals_.number(), POLLIN, 0};
    auto left = static_cast<long>(end - now);
    timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    if (::ppoll(&source, 1, &timeout, nullptr) > 0) take_signal();
  }
}

void WorkerProcesses::await(const std::function<bool()>& happened, Seconds patience,
                            const std::string& what) {
  std::uint64_t end = now_ns() + static_cast<std::uint64_t>(patience.count() * 1e9);
  while (!happened()) {
    if (now_ns() > end) throw TimedOut(fmt::format("{} within {} s", what, patience.count()));
    rest(look_again);
  }
}

void WorkerProcesses::await_ends(Seconds patience) {
  auto all_have_ended = [&] {
    reap();
    return std::ranges::all_of(members_, &Member::ended);
  };
  await(all_have_ended, patience, "not all processes ended");
}

}  // namespace conch::cli
