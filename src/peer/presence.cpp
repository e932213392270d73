#include "peer/presence.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <conch/error.hpp>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/hash.hpp"

namespace conch::peer {

namespace {

namespace fs = std::filesystem;

/// The prefix of the names of all peers with this state directory.
std::string name_at(const std::string& state) {
  Hash64 hash;
  hash_into(hash, fs::weakly_canonical(state).string());
  return fmt::format("conch/{}/{}/", ::geteuid(), file::hexadecimal(hash.value()));
}

/// What a descriptor of such a socket links to in /proc, e.g. `socket:[7]`.
std::set<std::string> sockets_at(const std::string& state) {
  std::set<std::string> found;
  std::string beginning = "@" + name_at(state);
  std::ifstream all("/proc/net/unix");
  for (std::string line; std::getline(all, line);) {
    std::istringstream words(line);
    std::string inode;
    std::string name;
    for (int i = 0; i < 7; ++i)
      words >> inode;  // The inode is the seventh word, before the name
                       // (proc(5)).
    if (words >> name && name.starts_with(beginning)) found.insert("socket:[" + inode + "]");
  }
  return found;
}

bool is_ours(const fs::path& process) {
  struct stat found {};
  return ::stat(process.c_str(), &found) == 0 && found.st_uid == ::geteuid();
}

/// Returns false for a process that ends meanwhile.
bool has_one_of(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code error;
  for (fs::directory_iterator entry(process / "fd", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (sockets.contains(fs::read_symlink(entry->path(), gone).string())) return true;
  }
  return false;
}

}  // namespace

Presence::Presence(const std::string& state)
    : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  // An abstract name begins with a zero byte.
  std::string name = name_at(state) + file::unique_tag();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), size) != 0)
    throw Error(fmt::format("cannot create a Unix socket: {}", std::strerror(errno)));
}

bool seems_present(const std::string& state) { return !sockets_at(state).empty(); }

std::vector<int> present(const std::string& state) {
  std::set<std::string> sockets = sockets_at(state);
  std::vector<int> processes;
  if (sockets.empty()) return processes;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    auto number = file::number_in(entry->path().filename().string());
    if (number && is_ours(entry->path()) && has_one_of(entry->path(), sockets))
      processes.push_back(static_cast<int>(*number));
  }
  return processes;
}

}  // namespace conch::peer
