// Locks on files, held by an open file description: whoever shares it shares the lock, a fork or
// one to whom the descriptor was sent; the kernel drops it when the last of them has closed it or
// died. Unlike those of a process, such a lock does not vanish when something else in the process
// closes the same file, and two in one process see each other.
#pragma once

#include <cstdint>
#include <string>

#include "register/directory.hpp"

namespace conch::file {

/// Which of its bytes, whether they are there or not; size 0: all from the first on.
struct Bytes {
  std::int64_t first = 0;
  std::int64_t size = 0;
};
constexpr Bytes whole_file{};

enum class Grip : std::uint8_t { alone, shared };

/// False if somebody has it.
bool try_lock(const Descriptor& file, const std::string& path, Bytes bytes = whole_file,
              Grip grip = Grip::alone);
/// Whether somebody else has any of it.
bool is_locked(const Descriptor& file, const std::string& path, Bytes bytes = whole_file);

}  // namespace conch::file
