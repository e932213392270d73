#include "register/file_lock.hpp"

#include <fcntl.h>

#include <cerrno>

#include "register/register.hpp"

namespace conch::file {

namespace {

struct flock range_of(Bytes bytes, Grip grip) {
  struct flock range {};
  range.l_type = grip == Grip::alone ? F_WRLCK : F_RDLCK;
  range.l_whence = SEEK_SET;
  range.l_start = bytes.first;
  range.l_len = bytes.size;
  return range;
}

[[noreturn]] void fail_to_lock(const std::string& path) {
  throw RegisterError("cannot lock " + path +
                      ": its file system does not support locks; choose another state directory");
}

}  // namespace

bool try_lock(const Descriptor& file, const std::string& path, Bytes bytes, Grip grip) {
  struct flock range = range_of(bytes, grip);
  if (::fcntl(file.number(), F_OFD_SETLK, &range) == 0) return true;
  if (errno != EAGAIN && errno != EACCES) fail_to_lock(path);
  return false;
}

bool is_locked(const Descriptor& file, const std::string& path, Bytes bytes) {
  struct flock range = range_of(bytes, Grip::alone);
  if (::fcntl(file.number(), F_OFD_GETLK, &range) != 0) fail_to_lock(path);
  return range.l_type != F_UNLCK;
}

}  // namespace conch::file
