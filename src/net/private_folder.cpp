#include "net/private_folder.hpp"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <sstream>

namespace conch::net {

namespace {

namespace fs = std::filesystem;

/// The same limit as the kernel has.
constexpr int links_max = 40;

/// Not a std::ifstream, as a process started meanwhile would inherit its descriptor.
std::istringstream text_in(const char* path) {
  Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 128> bytes{};
  ssize_t size = file ? ::read(file.number(), bytes.data(), bytes.size()) : 0;
  return std::istringstream(
      std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
}

/// The initial user namespace maps every user, so root is known there.
std::optional<uid_t> look_of_unknown_root() {
  std::istringstream map = text_in("/proc/self/uid_map");
  std::uint64_t first = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  if (!(map >> first >> outside >> count) || count == 0xffffffff) return std::nullopt;
  uid_t user = 65534;
  text_in("/proc/sys/kernel/overflowuid") >> user;
  return user;
}

std::string belongs(const std::string& path, const struct stat& found, const Viewer& viewer) {
  return path + " belongs to user " + std::to_string(found.st_uid) + ", this is user " +
         std::to_string(viewer.user);
}

std::string objection_to_own(const std::string& path, const struct stat& found,
                             const Viewer& viewer) {
  if (found.st_uid != viewer.user)
    return belongs(path, found, viewer) + "; choose another directory";
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return path + " is open to other users, who could take or forge locks; chmod 700 it";
  return "";
}

/// In a sticky directory nobody can rename files of other users.
std::string objection_to_writers(const std::string& path, const struct stat& found,
                                 const Viewer& viewer) {
  if (S_ISLNK(found.st_mode) || (found.st_mode & S_ISVTX) != 0) return "";
  if ((found.st_mode & S_IWOTH) != 0)
    return path +
           " can be written by every user, who could replace our directory; chmod o-w it, or "
           "choose another directory";
  bool is_member = found.st_gid == 0 || std::find(viewer.groups.begin(), viewer.groups.end(),
                                                  found.st_gid) != viewer.groups.end();
  if ((found.st_mode & S_IWGRP) != 0 && !is_member)
    return path + " can be written by group " + std::to_string(found.st_gid) +
           ", to which this user does not belong; chmod g-w it, or choose another directory";
  return "";
}

std::string objection_above(const std::string& path, const struct stat& found,
                            const Viewer& viewer) {
  bool is_trusted =
      found.st_uid == 0 || found.st_uid == viewer.user || found.st_uid == viewer.unknown_root;
  if (!is_trusted)
    return belongs(path, found, viewer) +
           ": its owner could replace our directory; choose another directory";
  return objection_to_writers(path, found, viewer);
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::misconfigured, path + " cannot be " + what + ": " + std::strerror(errno) +
                                            "; choose another directory");
}

/// Walks from the root to a directory, and checks every component.
class PathWalk {
 public:
  PathWalk(const fs::path& path, std::size_t own, Missing missing) : own_(own), missing_(missing) {
    lead_to(path);
    go_to_root();
  }

  /// Returns an empty descriptor if a directory is missing and must not be made.
  Descriptor finish() {
    while (!names_.empty()) {
      std::string name = names_.front();
      names_.pop_front();
      if (!take(name)) return {};
    }
    return std::move(here_);
  }

 private:
  void lead_to(const fs::path& path) {
    std::deque<std::string> names;
    for (const fs::path& name : path.relative_path())
      if (!name.empty() && name != ".") names.push_back(name.string());
    names_.insert(names_.begin(), names.begin(), names.end());
  }

  void go_to_root() {
    path_ = "/";
    here_ = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!here_) fail(path_.string(), "opened");
    examine(here_, path_.string(), PathPart::above);
  }

  bool take(const std::string& name) {
    fs::path path = path_ / name;
    PathPart part = names_.size() < own_ ? PathPart::own : PathPart::above;
    Descriptor next = open(name, path);
    if (!next) return false;
    struct stat found = examine(next, path.string(), part);
    if (S_ISLNK(found.st_mode) && part == PathPart::above) {
      follow(next, path.string());
      return true;
    }
    if (!S_ISDIR(found.st_mode))
      throw Untrusted(path.string() +
                      " is not a directory but a file or a symbolic link, which others may have "
                      "put there; remove it, or choose another directory");
    here_ = std::move(next);
    path_ = std::move(path);
    return true;
  }

  Descriptor open(const std::string& name, const fs::path& path) const {
    constexpr int how = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    Descriptor next(::openat(here_.number(), name.c_str(), how));
    if (next || (errno == ENOENT && missing_ == Missing::leave)) return next;
    if (errno != ENOENT) fail(path.string(), "opened");
    if (::mkdirat(here_.number(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      fail(path.string(), "made");
    next = Descriptor(::openat(here_.number(), name.c_str(), how));
    if (!next) fail(path.string(), "opened");
    return next;
  }

  struct stat examine(const Descriptor& opened, const std::string& path, PathPart part) const {
    struct stat found {};
    if (::fstat(opened.number(), &found) != 0) fail(path, "examined");
    if (!S_ISDIR(found.st_mode) && !S_ISLNK(found.st_mode)) return found;
    if (S_ISLNK(found.st_mode) && part == PathPart::own) return found;
    std::string why = objection_to_directory(path, found, part, viewer_);
    if (!why.empty()) throw Untrusted(why);
    return found;
  }

  void follow(const Descriptor& link, const std::string& path) {
    std::array<char, PATH_MAX> target{};
    ssize_t size = ::readlinkat(link.number(), "", target.data(), target.size());
    if (++links_ > links_max) errno = ELOOP;
    if (size < 0 || links_ > links_max) fail(path, "followed");
    fs::path there(std::string(target.data(), static_cast<std::size_t>(size)));
    lead_to(there);
    if (there.is_absolute()) go_to_root();
  }

  Viewer viewer_ = this_process();
  std::size_t own_;
  Missing missing_;
  std::deque<std::string> names_;
  fs::path path_;
  Descriptor here_;
  int links_ = 0;
};

}  // namespace

Viewer this_process() {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  groups.push_back(::getegid());
  return {::geteuid(), std::move(groups), look_of_unknown_root()};
}

std::string objection_to_directory(const std::string& path, const struct stat& found, PathPart part,
                                   const Viewer& viewer) {
  switch (part) {
    case PathPart::above: return objection_above(path, found, viewer);
    case PathPart::own: return objection_to_own(path, found, viewer);
  }
  return "";
}

PrivateFolder::PrivateFolder(const std::string& path, std::size_t own, Missing missing)
    : opened_(PathWalk(fs::absolute(path), own, missing).finish()) {}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/') + 1);
}

std::string file_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace conch::net
