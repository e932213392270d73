#include "register/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "net/close_on_fork.hpp"
#include "register/file_lock.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

constexpr std::size_t mark_bytes_max = 256;

constexpr Bytes process_byte{0, 1};
constexpr Bytes keepers_byte{1, 1};

/// The start time of a process, in clock ticks since boot; empty if it cannot be read.
std::string start_of(const std::string& process) {
  // A stream would throw if the process died between open and read.
  Descriptor file(::open(("/proc/" + process + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> bytes{};
  ssize_t size = file ? ::read(file.number(), bytes.data(), bytes.size()) : 0;
  std::string text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  // The program name, in parentheses, may contain anything. The start time is the 20th word after
  // it (proc(5)).
  std::istringstream words(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string word;
  for (int i = 0; i < 20; ++i) words >> word;
  return words ? word : "";
}

/// Identifies our PID namespace; a container has its own.
std::string numbering() {
  struct stat found {};
  if (::stat("/proc/self/ns/pid", &found) != 0) return "unknown";
  return std::to_string(found.st_ino);
}

struct Mark {
  std::string process;
  std::string start;
  std::string numbering;
};

}  // namespace

std::string name_of_life(const PeerInstance& life) {
  return "life." + std::to_string(life.id.value) + "." +
         std::to_string(static_cast<std::uint64_t>(life.incarnation));
}

std::optional<PeerInstance> life_named(std::string_view name) {
  auto rest = after("life.", name);
  if (!rest) return std::nullopt;
  std::size_t dot = std::min(rest->find('.'), rest->size());
  auto id = number_in(rest->substr(0, dot));
  auto incarnation = number_in(rest->substr(std::min(dot + 1, rest->size())));
  if (!id || !incarnation) return std::nullopt;
  return PeerInstance{NodeId{*id}, Incarnation{*incarnation}};
}

Descriptor mark_as_mine(const Directory& root, const std::string& name) {
  std::string text = std::to_string(::getpid()) + " " + start_of("self") + " " + numbering() + "\n";
  Descriptor file = root.create(name, text);
  if (!try_lock(file, root.path(name), process_byte))
    throw RegisterError(root.path(name) + " was locked by another process before it had its name");
  net::close_on_fork(file.number());
  return file;
}

/// Opens the file again, because a lock belongs to the open file description. It does not open it
/// by name, as the name may be gone.
Descriptor keep(const Descriptor& mark, const std::string& path) {
  std::string here = "/proc/self/fd/" + std::to_string(mark.number());
  Descriptor file(::open(here.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw RegisterError("cannot open " + path + ": " + std::strerror(errno));
  if (!try_lock(file, path, keepers_byte, Grip::shared))
    throw RegisterError(path + " was locked by something other than conch; find out by what");
  return file;
}

/// Checks the process before the keepers: a process may gain a keeper just before it dies, but not
/// after.
Pulse pulse_of(const Directory& root, const std::string& name, bool seen_dead) {
  Descriptor file = root.open(name, O_RDONLY);
  if (!file) return seen_dead ? Pulse::gone : Pulse::unknown;
  if (!seen_dead && is_locked(file, root.path(name), process_byte)) return Pulse::alive;
  return is_locked(file, root.path(name), keepers_byte) ? Pulse::kept : Pulse::gone;
}

Descriptor watch_process(const Directory& root, const std::string& name) {
  std::istringstream text(root.read(name, mark_bytes_max).value_or(""));
  Mark mark;
  if (!(text >> mark.process >> mark.start >> mark.numbering)) return {};
  auto number = number_in(mark.process);
  if (!number || mark.numbering != numbering()) return {};
  Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(*number), 0)));
  // The pidfd is of the right process if the start time matches the mark and the process still
  // lives after that was read.
  bool known = process && start_of(mark.process) == mark.start && !has_ended(process);
  return known ? std::move(process) : Descriptor();
}

bool has_ended(const Descriptor& process) {
  pollfd one{process.number(), POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

}  // namespace conch::file
