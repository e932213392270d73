// Detects that this process is a forked child of the one that made an object. A child has the
// peer's memory, but none of its threads, and mutexes that nobody will ever unlock. So it must
// neither use nor destroy its parent's objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace conch::peer {

namespace detail {
/// How many forks lie between the first process that used the library and this one.
inline std::atomic<std::uint64_t> forks{0};
}  // namespace detail

/// Remembers the process in which an object was made. Asking costs no system call.
class Origin {
 public:
  Origin();
  /// Whether this process is a descendant of the one in which the object was made.
  bool is_elsewhere() const { return made_ != detail::forks.load(std::memory_order_relaxed); }

 private:
  std::uint64_t made_;
};

/// Keeps for ever an object that this process must not destroy.
void abandon(std::shared_ptr<void> object);

}  // namespace conch::peer
