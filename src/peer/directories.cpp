#include "peer/directories.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <conch/error.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ranges>

#include "peer/names.hpp"
#include "register/directory.hpp"

namespace conch::peer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t socket_path_bytes_max = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::string_view socket_ending = ".sock";

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(ErrorCode::misconfigured, fmt::format(sentence, std::forward<Args>(args)...));
}

std::optional<fs::path> absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || value[0] != '/') return std::nullopt;
  return fs::path(value);
}

/// A path of which the last `own` components are ours alone; what is above them is the user's
/// affair.
struct Place {
  fs::path path;
  int own = 0;
};

Place chosen_place(const std::string& choice, std::string_view group) {
  return {fs::absolute(choice) / group, 1};
}

Place runtime_place(std::string_view group, const std::string& choice) {
  if (!choice.empty()) return chosen_place(choice, group);
  if (auto given = absolute_path_in("XDG_RUNTIME_DIR")) return {*given / "conch" / group, 2};
  return {fs::path(fmt::format("/tmp/conch-{}", ::geteuid())) / group, 2};
}

Place state_place(std::string_view group, const std::string& choice) {
  if (!choice.empty()) return chosen_place(choice, group);
  if (auto given = absolute_path_in("XDG_STATE_HOME")) return {*given / "conch" / group, 2};
  if (auto home = absolute_path_in("HOME")) return {*home / ".local/state/conch" / group, 2};
  throw Error(
      ErrorCode::misconfigured,
      "there is no place for the group's state: set HOME or XDG_STATE_HOME to an absolute path, or "
      "name a state directory");
}

/// Examines what was opened, not what has the name by now.
void expect_private(const std::string& path) {
  file::Descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened && (errno == ENOTDIR || errno == ELOOP))
    refuse(
        "{} is not a directory but a file or a symbolic link, which others may have put there; "
        "remove it, or choose another directory",
        path);
  if (!opened) refuse("{} cannot be opened: {}", path, std::strerror(errno));
  struct stat found {};
  if (::fstat(opened.number(), &found) != 0)
    refuse("{} cannot be examined: {}", path, std::strerror(errno));
  if (found.st_uid != ::geteuid())
    refuse("{} belongs to user {}, this is user {}; choose another directory", path, found.st_uid,
           ::geteuid());
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    refuse("{} is open to other users, who could take or forge locks; chmod 700 it", path);
}

void make_private(const fs::path& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    refuse("{} cannot be made: {}; choose another directory", path.string(), std::strerror(errno));
}

/// Like `mkdir -p`, but for nobody else.
void make_parents(const fs::path& path) {
  fs::path made;
  for (const fs::path& part : path) {
    made /= part;
    std::error_code ignored;
    if (!fs::exists(made, ignored)) make_private(made);
  }
}

std::string make(const Place& place) {
  fs::path path = place.path;
  std::vector<fs::path> own;
  for (int i = 0; i < place.own; ++i, path = path.parent_path()) own.push_back(path);
  make_parents(path);
  for (const fs::path& one : std::views::reverse(own)) {
    make_private(one);
    expect_private(one.string());
  }
  return place.path.string();
}

std::string_view word(Role role) {
  switch (role) {
    case Role::host: return "host.";
    case Role::peer: return "peer.";
  }
  return {};
}

/// Hexadecimal, as everywhere where people read it.
std::optional<NodeId> id_in(std::string_view text) {
  NodeId id;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id.value, 16);
  bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || fmt::format("{:x}", id.value) != text) return std::nullopt;
  return id;
}

/// Asked for datagrams, which no peer takes: who lives is not disturbed, and EPROTOTYPE says so.
bool is_abandoned(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, socket_path_bytes_max);
  file::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return socket &&
         ::connect(socket.number(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 &&
         errno == ECONNREFUSED;
}

std::optional<Socket> socket_named(std::string_view name) {
  for (Role role : {Role::host, Role::peer}) {
    auto rest = file::after(word(role), name);
    if (!rest || !rest->ends_with(socket_ending)) continue;
    rest->remove_suffix(socket_ending.size());
    if (auto id = id_in(*rest)) return Socket{role, *id};
  }
  return std::nullopt;
}

}  // namespace

Directories directories_of(std::string_view group, const DirectoryChoice& choice) {
  check_group_name(group);
  return {runtime_place(group, choice.runtime).path.string(),
          state_place(group, choice.state).path.string()};
}

Directories make_directories(std::string_view group, const DirectoryChoice& choice) {
  check_group_name(group);
  return {make(runtime_place(group, choice.runtime)), make(state_place(group, choice.state))};
}

void note_elsewhere(const std::string& state, const std::vector<std::string>& words) {
  std::ofstream note(state + "/elsewhere", std::ios::trunc);
  for (const std::string& word : words) note << word << ' ';
  if (!note.flush()) refuse("cannot write {}/elsewhere", state);
}

std::string elsewhere(const std::string& state) {
  std::ifstream note(state + "/elsewhere");
  std::string line;
  std::getline(note, line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string socket_path(const std::string& runtime, const Socket& socket) {
  std::string path =
      fmt::format("{}/{}{:x}{}", runtime, word(socket.role), socket.id.value, socket_ending);
  if (path.size() > socket_path_bytes_max)
    refuse(
        "the socket {} would have a path of {} bytes, and the kernel takes {}; choose a shorter "
        "runtime directory or group name",
        path, path.size(), socket_path_bytes_max);
  return path;
}

std::vector<Socket> sockets_in(const std::string& runtime) {
  std::vector<Socket> found;
  std::error_code error;
  for (fs::directory_iterator entry(runtime, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    auto socket = socket_named(entry->path().filename().string());
    if (socket && fs::is_socket(entry->symlink_status(gone))) found.push_back(*socket);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    refuse("the sockets in {} cannot be listed: {}", runtime, error.message());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> living_sockets(const std::string& runtime) {
  std::vector<std::string> living;
  for (const Socket& socket : sockets_in(runtime))
    if (std::string path = socket_path(runtime, socket); !is_abandoned(path))
      living.push_back(std::move(path));
  return living;
}

/// No process takes the name of another: what is dead once may be removed at any time. So is what
/// has no proper name yet; who is alive gives it another.
void remove_abandoned_sockets(const std::string& runtime) {
  std::error_code error;
  for (fs::directory_iterator entry(runtime, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::string path = entry->path().string();
    if (fs::is_socket(entry->symlink_status(gone)) && is_abandoned(path)) ::unlink(path.c_str());
  }
  if (error) refuse("the sockets in {} cannot be listed: {}", runtime, error.message());
}

}  // namespace conch::peer
