#include "cli/command.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <cstdlib>
#include <cstring>

namespace conch::cli {

namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Runs in the child. The exec closes all our descriptors. Ignored signals stay ignored, because
/// our caller meant that, as nohup(1) does.
[[noreturn]] void become(const CommandPlan& plan, pid_t parent, int news) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // The parent died before we set the death signal.
  ::setpgid(0, plan.group);                 // If the group has gone, this fails without harm.
  for (const std::string& text : plan.environment) ::putenv(const_cast<char*>(text.c_str()));
  std::vector<char*> words = pointers_to(plan.words);
  ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
  ::execvp(words[0], words.data());
  int error = errno;
  while (::write(news, &error, sizeof error) < 0 && errno == EINTR) {
  }
  ::_exit(127);
}

}  // namespace

Command::Command(const CommandPlan& plan) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(std::string("cannot create a pipe to start the command: ") + std::strerror(errno));
  news_ = net::Descriptor(ends[0]);
  net::Descriptor writing(ends[1]);
  pid_t self = ::getpid();
  process_ = ::fork();
  if (process_ < 0)
    throw Error(std::string("cannot start a process for the command: ") + std::strerror(errno));
  if (process_ == 0) become(plan, self, writing.number());
}

std::optional<int> Command::take_news() {
  if (!news_) return std::nullopt;
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(news_.number(), &error, sizeof error);
  } while (size < 0 && errno == EINTR);
  news_ = {};
  return size == static_cast<ssize_t>(sizeof error) ? std::optional(error) : std::nullopt;
}

int status_of_failed_start(int error) { return error == ENOENT || error == ENOTDIR ? 127 : 126; }

}  // namespace conch::cli
