#include "cli/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "register/directory.hpp"

namespace conch::cli {

namespace {

using Clock = std::chrono::steady_clock;
using net::Descriptor;

/// How long to wait for the killed processes before looking for new ones.
constexpr std::chrono::milliseconds look_again_after{100};

std::string read_stat(pid_t process) {
  Descriptor file(
      ::open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> bytes{};
  ssize_t size = file ? ::read(file.number(), bytes.data(), bytes.size()) : 0;
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

std::multimap<pid_t, Descendant> processes_by_parent() {
  auto close = [](DIR* directory) { ::closedir(directory); };
  std::unique_ptr<DIR, decltype(close)> proc(::opendir("/proc"), close);
  std::multimap<pid_t, Descendant> found;
  while (const dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    auto number = file::number_in(entry->d_name);
    if (!number) continue;
    if (auto process = find_process(static_cast<pid_t>(*number)))
      found.emplace(process->parent, *process);
  }
  return found;
}

/// Opens a pidfd. Empty if the id now belongs to a later process.
Descriptor hold(const Descendant& process) {
  Descriptor held(static_cast<int>(::syscall(SYS_pidfd_open, process.process, 0)));
  auto now = find_process(process.process);
  return held && now && now->start == process.start ? std::move(held) : Descriptor();
}

void await_end(const Descriptor& process, Clock::time_point deadline) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd one{process.number(), POLLIN, 0};
  ::poll(&one, 1, std::max(0, static_cast<int>(left.count())));
}

}  // namespace

/// Parses `7 (name) S 1 ...`, in which the start time is the 22nd word and the name may contain
/// anything.
std::optional<Descendant> find_process(pid_t process) {
  std::string text = read_stat(process);
  std::size_t open = text.find('(');
  std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  Descendant found;
  found.process = process;
  found.name = text.substr(open + 1, close - open - 1);
  std::istringstream words(text.substr(close + 1));
  char state = 0;
  words >> state >> found.parent;
  for (int i = 4; i < 22; ++i) words >> found.start;
  found.is_zombie = state == 'Z';
  found.is_stopped = state == 'T';
  return words ? std::optional(found) : std::nullopt;
}

std::vector<Descendant> descendants_of(pid_t process) {
  auto by_parent = processes_by_parent();
  std::vector<Descendant> found;
  auto add_children = [&](pid_t parent) {
    auto [first, last] = by_parent.equal_range(parent);
    for (; first != last; ++first) found.push_back(first->second);
  };
  add_children(process);
  std::size_t asked = 0;
  while (asked < found.size()) add_children(found[asked++].process);
  return found;
}

pid_t parent_of(pid_t process) {
  auto found = find_process(process);
  return found ? found->parent : 0;
}

bool reap(const Reaped& reaped) {
  while (true) {
    int status = 0;
    pid_t process = ::waitpid(-1, &status, WNOHANG);
    if (process == 0) return true;
    if (process < 0 && errno == EINTR) continue;
    if (process < 0) return false;
    reaped(process, status);
  }
}

/// Repeats, because processes that are still alive may fork meanwhile.
void kill_descendants(const Reaped& reaped) {
  while (reap(reaped)) {
    std::vector<Descriptor> killed;
    for (const Descendant& one : descendants_of(::getpid())) {
      if (one.is_zombie) continue;
      Descriptor held = hold(one);
      if (held) ::syscall(SYS_pidfd_send_signal, held.number(), SIGKILL, nullptr, 0);
      if (held) killed.push_back(std::move(held));
    }
    auto deadline = Clock::now() + look_again_after;
    for (const Descriptor& one : killed) await_end(one, deadline);
  }
}

}  // namespace conch::cli
