// Files that only their user may read: private keys and passwords.
#pragma once

#include <sys/stat.h>

#include <string>

namespace conch::net {

/// Why a file with this owner and mode is not a secret of `user`; empty if it is. A file of root's
/// may be readable by its group: that is how systems share a key with some services.
std::string objection_to_secret(const std::string& path, const struct stat& found, uid_t user);

/// Throws conch::Error if others can read the file. A missing file is no error here; its reader
/// reports it.
void expect_secret(const std::string& path);

}  // namespace conch::net
