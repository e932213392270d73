#include "process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>

namespace conch::bench {

namespace {

/// The signals that interrupt are blocked; they arrive through this descriptor instead.
int interrupts = -1;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int checked(int result, const char* what) {
  if (result < 0) fail(what);
  return result;
}

/// Debian 12 has no declaration of pidfd_open that C++ can include.
int pidfd_of(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

sigset_t interrupting() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

int milliseconds_until(Deadline deadline) {
  auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Runs the child after the fork. The parent reads the result only at the end, so it must fit into
/// the pipe.
[[noreturn]] void live(const std::function<std::string()>& work, pid_t parent, int words) {
  constexpr std::size_t words_max = 60'000;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before prctl
  sigset_t interrupts = interrupting();
  sigprocmask(SIG_UNBLOCK, &interrupts, nullptr);
  int status = 0;
  std::string text;
  try {
    text = work();
  } catch (const std::exception& error) {
    text = error.what();
    status = 1;
  }
  write_all(words, text.substr(0, words_max));
  _exit(status);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = read(fd, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  return text;
}

std::vector<int> lives_of(std::span<Process> processes) {
  std::vector<int> files;
  for (const Process& process : processes) files.push_back(process.fd());
  return files;
}

[[noreturn]] void fail_with_end_of(Process& process) {
  process.finish(in(std::chrono::seconds(1)));
  throw std::runtime_error("a process ended before its time");
}

}  // namespace

void catch_interrupts() {
  sigset_t set = interrupting();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  interrupts = checked(signalfd(-1, &set, SFD_CLOEXEC), "signalfd");
}

int wait_readable(std::span<const int> files, Deadline deadline) {
  std::vector<pollfd> polled;
  for (int fd : files) polled.push_back({fd, POLLIN, 0});
  polled.push_back({interrupts, POLLIN, 0});
  for (;;) {
    int ready = poll(polled.data(), polled.size(), milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) fail("poll");
    if (polled.back().revents != 0) throw Interrupted();
    if (ready == 0) return -1;
    for (std::size_t i = 0; i < files.size(); ++i)
      if (polled[i].revents != 0) return static_cast<int>(i);
  }
}

Process::Process(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  checked(pipe2(ends.data(), O_CLOEXEC), "pipe");
  words_ = Descriptor(ends[0]);
  Descriptor child_end(ends[1]);
  pid_t parent = getpid();
  pid_ = checked(fork(), "fork");
  if (pid_ == 0) live(work, parent, child_end.number());
  life_ = Descriptor(checked(pidfd_of(pid_), "pidfd_open"));
}

Process Process::program(const std::vector<std::string>& command,
                         const std::filesystem::path& output) {
  return Process([&]() -> std::string {
    int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    std::vector<char*> arguments;
    for (const std::string& argument : command)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    throw std::runtime_error(fmt::format("{} cannot be run: {}", command[0], std::strerror(errno)));
  });
}

Process::~Process() { kill_and_reap(); }

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      life_(std::move(other.life_)),
      words_(std::move(other.words_)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(life_, other.life_);
  std::swap(words_, other.words_);
  return *this;
}

void Process::kill_and_reap() noexcept {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

void Process::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

std::string Process::finish(Deadline deadline) {
  if (wait_readable(std::array{fd()}, deadline) < 0)
    throw std::runtime_error("a process did not come to its end in time");
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
  if (WIFSIGNALED(status))
    throw std::runtime_error(fmt::format("a process was killed by signal {} ({})", WTERMSIG(status),
                                         strsignal(WTERMSIG(status))));
  std::string words = read_all(words_.number());
  if (WEXITSTATUS(status) != 0)
    throw std::runtime_error(
        words.empty() ? fmt::format("a process ended with status {}", WEXITSTATUS(status)) : words);
  return words;
}

Reports::Reports() : events_(checked(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE), "eventfd")) {}

void Reports::report() const { checked(eventfd_write(events_.number(), 1), "eventfd"); }

void Reports::await(std::uint64_t count, std::span<Process> by, Deadline deadline) {
  std::vector<int> files = lives_of(by);
  files.insert(files.begin(), events_.number());
  while (count > 0) {
    int ready = wait_readable(files, deadline);
    if (ready < 0)
      throw std::runtime_error(fmt::format("{} processes got stuck and did not report", count));
    if (ready > 0) fail_with_end_of(by[static_cast<std::size_t>(ready) - 1]);
    eventfd_t one = 0;
    checked(eventfd_read(events_.number(), &one), "eventfd");
    --count;
  }
}

void watch(std::span<Process> processes, std::chrono::duration<double> time) {
  int ended = wait_readable(lives_of(processes), in(time));
  if (ended >= 0) fail_with_end_of(processes[static_cast<std::size_t>(ended)]);
}

Affinity::Affinity() {
  cpu_set_t set;
  checked(sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores_.push_back(core);
}

namespace {
void run_on(std::span<const int> cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}
}  // namespace

void Affinity::free() const { run_on(cores_); }
void Affinity::pin() const { run_on(std::span(cores_).last(1)); }

}  // namespace conch::bench
