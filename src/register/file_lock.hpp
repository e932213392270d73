// Locks on files, owned by an open file description (F_OFD_SETLK). All processes that share the
// description share the lock: a forked child, or a process that was sent the descriptor. The
// kernel drops the lock when the last of them has closed it or died. Unlike POSIX process locks, it
// survives when something else in the process closes the same file, and two in one process exclude
// each other.
#pragma once

#include <cstdint>
#include <string>

#include "register/directory.hpp"

namespace conch::file {

/// A range of bytes, whether they exist or not. Size 0 means all from `first` on.
struct Bytes {
  std::int64_t first = 0;
  std::int64_t size = 0;
};
constexpr Bytes whole_file{};

enum class Grip : std::uint8_t { alone, shared };

/// False if another file description has the lock.
bool try_lock(const Descriptor& file, const std::string& path, Bytes bytes = whole_file,
              Grip grip = Grip::alone);
/// Whether another file description has locked any of the range.
bool is_locked(const Descriptor& file, const std::string& path, Bytes bytes = whole_file);

}  // namespace conch::file
