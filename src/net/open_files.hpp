// The limit of open files, and which descriptors are reserved for what must not fail.
//
// The kernel always gives out the lowest free number. So a high number means that all below it are
// taken, by whatever part of the process; a count of our own could not know about those.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace conch::net {

class OpenFiles {
 public:
  explicit constexpr OpenFiles(int limit) : limit_(limit) {}
  /// The limit that the process has now.
  static OpenFiles of_process() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    constexpr rlim_t most = std::numeric_limits<int>::max();
    return OpenFiles(static_cast<int>(std::min(limit.rlim_cur, most)));
  }

  /// The last 16 (at most a quarter) are reserved for the register: a peer that cannot read it
  /// loses its lease, and with that its locks.
  constexpr bool is_kept_for_register(int descriptor) const {
    return descriptor >= limit_ - std::min(16, limit_ / 4);
  }
  /// The ones below those are reserved for other peers, recovery, and clients that only ask
  /// questions.
  constexpr bool is_kept_from_clients(int descriptor) const {
    return descriptor >= limit_ - std::min(std::clamp(limit_ / 8, 32, 512), limit_ / 2);
  }

 private:
  int limit_;
};

/// Raises the limit to what the system allows. For programs only, as a library leaves the limits of
/// its process alone. Children that were started before keep the old limit.
inline void raise_open_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace conch::net
