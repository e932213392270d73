// Directories in which nobody else can read, or put something in the place of what is ours.
//
// A path is opened name by name from the root, and every directory on it is examined as it was
// opened: nothing can be exchanged between the check and the use. What happens in a folder then
// happens through its descriptor, so its path may also be longer than a Unix socket's address.
#pragma once

#include <sys/stat.h>

#include <conch/error.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/descriptor.hpp"

namespace conch::net {

/// Another user may be behind it. Unlike a peer that has gone, that is no reason to try the next.
class Untrusted : public Error {
 public:
  explicit Untrusted(const std::string& what) : Error(ErrorCode::misconfigured, what) {}
};

/// As whom a process looks at files.
struct Viewer {
  uid_t user = 0;
  std::vector<gid_t> groups;
  /// How root's files look in a user namespace that does not know root.
  std::optional<uid_t> unknown_root = std::nullopt;
};
Viewer this_process();

enum class Part : std::uint8_t {
  /// On the way to a folder of ours: of this user or of root, and nobody else can rename in it. A
  /// group that this process is in may: its members cannot make what is ours.
  above,
  /// Belongs to this user, and is closed to all others.
  own,
};

/// Why a directory, or a symbolic link to one, with this owner and mode is refused; empty if not.
std::string objection_to_directory(const std::string& path, const struct stat& found, Part part,
                                   const Viewer& viewer);

enum class Missing : std::uint8_t { leave, make };

class PrivateFolder {
 public:
  /// The last `own` names of the path are ours alone, those before them lead there. Throws
  /// Untrusted if they are not, Error if they cannot be opened or made.
  explicit PrivateFolder(const std::string& path, std::size_t own = 1,
                         Missing missing = Missing::leave);

  bool is_there() const { return static_cast<bool>(opened_); }
  /// For the calls that take nothing but a path; good for as long as this object is.
  std::string path_to(const std::string& name) const {
    return "/proc/self/fd/" + std::to_string(opened_.number()) + "/" + name;
  }

 private:
  Descriptor opened_;
};

/// The part of a path up to its last slash, and the part after it.
std::string folder_of(const std::string& path);
std::string file_of(const std::string& path);

}  // namespace conch::net
