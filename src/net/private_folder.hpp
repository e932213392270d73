// Opens directories in which no other user can read, or replace what is ours.
//
// It opens a path component by component from the root, and checks every directory after it was
// opened, so nothing can be exchanged between check and use. Later accesses go through the
// descriptor, so the path may be longer than a Unix socket's address allows.
#pragma once

#include <sys/stat.h>

#include <conch/error.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/descriptor.hpp"

namespace conch::net {

/// Another user may control the directory or the process there. Callers must not fall back to
/// another address, as they do for a peer that has gone.
class Untrusted : public Error {
 public:
  explicit Untrusted(const std::string& what) : Error(ErrorCode::misconfigured, what) {}
};

/// The user and groups with which a process accesses files.
struct Viewer {
  uid_t user = 0;
  std::vector<gid_t> groups;
  /// The owner that root's files seem to have in a user namespace that does not map root.
  std::optional<uid_t> unknown_root = std::nullopt;
};
Viewer this_process();

enum class PathPart : std::uint8_t {
  /// On the way to our folder: root or this user owns it, and nobody else can rename in it. Group
  /// write permission is allowed if this process is in the group, as its members cannot create
  /// files that are ours.
  above,
  /// This user owns it, and nobody else has access.
  own,
};

/// Why a directory with this owner and mode, or a symbolic link to one, is refused; empty if it is
/// accepted.
std::string objection_to_directory(const std::string& path, const struct stat& found, PathPart part,
                                   const Viewer& viewer);

enum class Missing : std::uint8_t { leave, make };

class PrivateFolder {
 public:
  /// Opens the folder. The last `own` components of the path must be ours alone; those before them
  /// lead there. Throws Untrusted if a check fails, Error if the folder cannot be opened or made.
  explicit PrivateFolder(const std::string& path, std::size_t own = 1,
                         Missing missing = Missing::leave);

  bool is_there() const { return static_cast<bool>(opened_); }
  /// For system calls that only take a path. Valid for as long as this object exists.
  std::string path_to(const std::string& name) const {
    return "/proc/self/fd/" + std::to_string(opened_.number()) + "/" + name;
  }

 private:
  Descriptor opened_;
};

/// The part of a path up to and including its last slash, and the part after it.
std::string folder_of(const std::string& path);
std::string file_of(const std::string& path);

}  // namespace conch::net
