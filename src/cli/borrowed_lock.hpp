// A lock as `conch lock` needs it, for the time of one command: from a peer inside of this process,
// or from one that runs on this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "register/lease_page.hpp"

namespace conch::cli {

struct LockWish {
  std::string group;
  /// Empty: that of the group.
  std::string algorithm;
  std::string lock;
  bool shared = false;
  /// What will run under it, for those who ask who holds it.
  std::string command = {};
  /// Nobody enters for so long after the holder's lease has ended, unless it is known to be gone.
  std::chrono::milliseconds lock_delay{};
  /// One line for everything worth knowing.
  std::function<void(std::string_view line)> log = [](std::string_view) {};
  /// Also log who holds the lock while we wait for it.
  bool names_holders = false;
};

struct Patience {
  /// Asks once, and takes what is free.
  bool once = false;
  /// For the lock, once the group has been asked; none: as long as it takes. To find the group, or
  /// to join it, has a bound of its own.
  std::optional<std::chrono::milliseconds> wait;
};

struct Obtained {
  std::uint64_t fence = 0;
};
struct NotObtained {
  /// The end of a sentence: "it was not free within 1s".
  std::string why;
};
struct Interrupted {};
using Answer = std::variant<Obtained, NotObtained, Interrupted>;

class BorrowedLock {
 public:
  virtual ~BorrowedLock() = default;

  /// Once. All that takes time is done here: also to find a peer, or to become one. Returns
  /// soon after `interrupt` is readable, and does not read from it. Unless it is obtained, nothing
  /// is left: no place in a queue, no member of the group. Throws if the group cannot be used: see
  /// exit_of.
  virtual Answer acquire(const Patience& patience, int interrupt) = 0;

  // Once obtained.

  /// While any process has one of these open, the lock is not given away, as far as the lease runs,
  /// even if this process is killed. Once.
  virtual std::vector<file::Descriptor> take_kept() = 0;
  /// How long the lease runs; null if nobody knows.
  virtual const file::LeaseReader* lease() const { return nullptr; }
  /// Becomes readable when the lock is lost, and stays so.
  virtual int lost() const = 0;
  /// Gives it to the next, also if others still have `kept` open.
  virtual void release() = 0;
};

/// Takes no time and starts no thread; throws if there can be no such lock.
std::unique_ptr<BorrowedLock> borrow(const LockWish& wish);

}  // namespace conch::cli
