#include "net/secret_file.hpp"

#include <unistd.h>

#include <conch/error.hpp>

namespace conch::net {

std::string objection_to_secret(const std::string& path, const struct stat& found, uid_t user) {
  if (found.st_uid != user && found.st_uid != 0)
    return path + " belongs to user " + std::to_string(found.st_uid) + ", this is user " +
           std::to_string(user) + "; a secret must belong to this user: chown it";
  mode_t not_for_others = S_IRWXG | S_IRWXO;
  if (found.st_uid != user) not_for_others &= ~static_cast<mode_t>(S_IRGRP);
  if ((found.st_mode & not_for_others) != 0)
    return path + " is open to other users, so its content is not secret; chmod 600 it";
  return "";
}

void expect_secret(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return;
  if (std::string why = objection_to_secret(path, found, ::geteuid()); !why.empty())
    throw Error(why);
}

}  // namespace conch::net
