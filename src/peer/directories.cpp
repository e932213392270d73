#include "peer/directories.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <conch/error.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <vector>

#include "net/dial.hpp"
#include "net/names.hpp"
#include "net/private_folder.hpp"
#include "peer/names.hpp"
#include "register/directory.hpp"

namespace conch::peer {

namespace {

namespace fs = std::filesystem;

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

/// Without $HOME, e.g. in a systemd unit, the user database knows the home directory.
std::optional<fs::path> home_folder() {
  if (auto home = absolute_path_in("HOME")) return home;
  std::vector<char> texts(std::size_t{16} * 1024);
  passwd user{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &user, texts.data(), texts.size(), &found) != 0 || !found)
    return std::nullopt;
  return user.pw_dir[0] == '/' ? std::optional(fs::path(user.pw_dir)) : std::nullopt;
}

/// A path whose last `own` components must be ours alone.
struct OwnedPath {
  std::string path;
  std::size_t own = 0;
};

OwnedPath state_place(std::string_view group, const std::string& chosen) {
  if (!chosen.empty()) return {fs::absolute(chosen) / group, 1};
  if (auto given = absolute_path_in("XDG_STATE_HOME")) return {*given / "conch" / group, 2};
  if (auto home = home_folder()) return {*home / ".local/state/conch" / group, 2};
  throw Error(ErrorCode::misconfigured,
              "no directory for the group's state, as this user has no home: set HOME or "
              "XDG_STATE_HOME to an absolute path, or name a state directory");
}

OwnedPath sockets_place(const OwnedPath& state) {
  return {state.path + "/sockets/" + net::LocalHost().boot(), state.own + 2};
}

/// Identifies this machine across boots; empty if that is not possible.
std::string machine_name() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  utsname names{};
  if (!(file >> id) || ::uname(&names) != 0) return "";
  return id + " " + static_cast<const char*>(names.nodename);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string_view word(SocketRole role) {
  switch (role) {
    case SocketRole::host: return "host.";
    case SocketRole::peer: return "peer.";
  }
  return {};
}

/// Ids are hexadecimal, as in all text for people.
std::optional<NodeId> id_in(std::string_view text) {
  NodeId id;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id.value, 16);
  bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || fmt::format("{:x}", id.value) != text) return std::nullopt;
  return id;
}

/// Connects a datagram socket, which does not disturb a living peer: connect then fails with
/// EPROTOTYPE, or with ECONNREFUSED if the peer is dead.
bool is_abandoned(const std::string& path) {
  std::optional<net::SocketName> name = net::name_of_path(path);
  net::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return name && socket && ::connect(socket.number(), name->get(), name->size()) != 0 &&
         errno == ECONNREFUSED;
}

/// No process reuses the name of another, so a dead socket may be removed at any time. The same
/// goes for a socket that has its temporary name: its owner, if alive, makes another.
void remove_if_abandoned(const std::string& socket) {
  if (is_abandoned(socket)) ::unlink(socket.c_str());
}

/// Calls `call` with the name of each socket in the folder.
template <class Call>
void for_each_socket(const std::string& path, Call&& call) {
  net::PrivateFolder folder(path);
  if (!folder.is_there()) return;
  std::error_code error;
  for (fs::directory_iterator entry(folder.path_to(""), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    bool is_one = entry->is_socket(gone) && !entry->is_symlink(gone);
    if (is_one) call(folder, entry->path().filename().string());
  }
  if (error) refuse("the sockets in {} cannot be listed: {}", path, error.message());
}

std::optional<PeerSocket> socket_named(std::string_view name) {
  for (SocketRole role : {SocketRole::host, SocketRole::peer}) {
    auto rest = file::after(word(role), name);
    if (!rest || !rest->ends_with(socket_ending)) continue;
    rest->remove_suffix(socket_ending.size());
    if (auto id = id_in(*rest)) return PeerSocket{role, *id};
  }
  return std::nullopt;
}

}  // namespace

Directories directories_of(std::string_view group, const std::string& chosen) {
  check_group_name(group);
  OwnedPath state = state_place(group, chosen);
  return {state.path, sockets_place(state).path};
}

Directories make_directories(std::string_view group, const std::string& chosen) {
  Directories directories = directories_of(group, chosen);
  OwnedPath sockets = sockets_place(state_place(group, chosen));
  net::PrivateFolder folder(sockets.path, sockets.own, net::Missing::make);
  if (std::string machine = machine_name(); !machine.empty()) {
    std::ofstream(folder.path_to("machine")) << machine << '\n';
    remove_former_boots(sockets.path, machine);
  }
  return directories;
}

void check_directories(std::string_view group, const std::string& chosen) {
  check_group_name(group);
  OwnedPath state = state_place(group, chosen);
  OwnedPath sockets = sockets_place(state);
  net::PrivateFolder state_folder(state.path, state.own);
  net::PrivateFolder sockets_folder(sockets.path, sockets.own);
}

void remove_former_boots(const std::string& sockets, const std::string& machine) {
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(sockets).parent_path(), error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    bool is_other = entry->path() != fs::path(sockets);
    if (is_other && text_of(entry->path() / "machine") == machine)
      fs::remove_all(entry->path(), gone);
  }
}

void note_elsewhere(const std::string& state, const std::vector<std::string>& words) {
  // Write it in one step, by a rename: a peer that reads half of it would found a second group.
  std::string made = fmt::format("{}/elsewhere.{}", state, ::getpid());
  std::ofstream note(made, std::ios::trunc);
  for (const std::string& word : words) note << word << ' ';
  std::error_code error;
  if (note.flush()) fs::rename(made, state + "/elsewhere", error);
  if (!note || error) refuse("cannot write {}/elsewhere", state);
}

std::string elsewhere(const std::string& state) {
  std::ifstream note(state + "/elsewhere");
  std::string line;
  std::getline(note, line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string socket_path(const std::string& folder, const PeerSocket& socket) {
  return fmt::format("{}/{}{:x}{}", folder, word(socket.role), socket.id.value, socket_ending);
}

std::vector<PeerSocket> sockets_in(const std::string& folder) {
  std::vector<PeerSocket> found;
  for_each_socket(folder, [&](const net::PrivateFolder&, const std::string& name) {
    if (auto socket = socket_named(name)) found.push_back(*socket);
  });
  std::sort(found.begin(), found.end());
  return found;
}

void remove_abandoned_sockets(const std::string& path) {
  for_each_socket(path, [](const net::PrivateFolder& folder, const std::string& name) {
    remove_if_abandoned(folder.path_to(name));
  });
}

void remove_some_abandoned_sockets(const std::string& path) {
  constexpr std::size_t some = 16;
  std::vector<std::string> names;
  for_each_socket(
      path, [&](const net::PrivateFolder&, const std::string& name) { names.push_back(name); });
  std::vector<std::string> drawn;
  std::ranges::sample(names, std::back_inserter(drawn), some, std::mt19937(std::random_device()()));
  net::PrivateFolder folder(path);
  if (!folder.is_there()) return;
  for (const std::string& name : drawn) remove_if_abandoned(folder.path_to(name));
}

}  // namespace conch::peer
