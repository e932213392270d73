// What is left of a peer in a forked child: its memory, but none of its threads, and mutexes that
// nobody will ever unlock. So a child neither uses nor destroys what its parent made.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace conch::peer {

namespace detail {
/// How many forks lie between the first process that used the library and this one.
inline std::atomic<std::uint64_t> forks{0};
}  // namespace detail

/// The process in which an object was made. To ask costs no system call.
class Origin {
 public:
  Origin();
  /// This process is a child of the one in which the object was made.
  bool is_elsewhere() const { return made_ != detail::forks.load(std::memory_order_relaxed); }

 private:
  std::uint64_t made_;
};

/// Keeps for ever what must not be destroyed here.
void abandon(std::shared_ptr<void> object);

}  // namespace conch::peer
