// Files that nobody but their user may read: private keys, passwords.
#pragma once

#include <sys/stat.h>

#include <string>

namespace conch::net {

/// Why a file with this owner and mode is no secret of `user`'s; empty if it is. One of root's may
/// be readable by a group, which is how a system shares a key with some of its services.
std::string objection_to_secret(const std::string& path, const struct stat& found, uid_t user);

/// Throws conch::Error if others can read it. One that is not there is for its reader to miss.
void expect_secret(const std::string& path);

}  // namespace conch::net
