// How many files a process may have open, and which of them are kept for what must not fail.
//
// The kernel gives out the lowest number that is free. So a descriptor with a high number says that
// all below it are taken, by whatever part of the process: no count of ours would know of those.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace conch::net {

class OpenFiles {
 public:
  explicit constexpr OpenFiles(int limit) : limit_(limit) {}
  /// As the process may have them now.
  static OpenFiles of_process() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    constexpr rlim_t most = std::numeric_limits<int>::max();
    return OpenFiles(static_cast<int>(std::min(limit.rlim_cur, most)));
  }

  /// The last ones are the register's alone: who cannot read it loses its lease, and what it holds.
  constexpr bool is_kept_for_register(int descriptor) const {
    return descriptor >= limit_ - std::min(16, limit_ / 4);
  }
  /// Those before are for other peers, for recovery, and for whoever only looks.
  constexpr bool is_kept_from_clients(int descriptor) const {
    return descriptor >= limit_ - std::min(std::clamp(limit_ / 8, 32, 512), limit_ / 2);
  }

 private:
  int limit_;
};

/// As many as the system allows. For programs only: a library leaves the limit of its process as it
/// is. What was started before keeps its own.
inline void raise_open_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace conch::net
