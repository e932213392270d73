// A lock as `conch lock` needs it, for the duration of one command. A peer of this machine provides
// it, or else a peer inside this process.
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
  /// Empty means the group's.
  std::string algorithm;
  std::string lock;
  bool shared = false;
  /// The command that will run under the lock, shown to users who ask who holds it.
  std::string command = {};
  /// No process enters for this long after the holder's lease has ended, unless the holder is known
  /// to be gone.
  std::chrono::milliseconds lock_delay{};
  /// Receives one line for each event worth knowing.
  std::function<void(std::string_view line)> log = [](std::string_view) {};
  /// Also log who holds the lock while we wait for it.
  bool names_holders = false;
};

struct Patience {
  /// Takes the lock only if it is free now.
  bool once = false;
  /// How long to wait for the lock once the group has been asked; empty for no limit. Finding or
  /// joining the group has a limit of its own.
  std::optional<std::chrono::milliseconds> wait;
};

struct Obtained {
  std::uint64_t fence = 0;
};
struct NotObtained {
  /// The end of a sentence: "it is held by ...".
  std::string why;
};
struct Interrupted {};
using LockReply = std::variant<Obtained, NotObtained, Interrupted>;

class BorrowedLock {
 public:
  virtual ~BorrowedLock() = default;

  /// Call it once. Everything slow happens here, including finding a peer or becoming one. Returns
  /// soon after `interrupt` becomes readable, and does not read from it. Unless the lock is
  /// obtained, nothing is left behind: no place in a queue, no member in the group. Throws if the
  /// group cannot be used; see exit_of.
  virtual LockReply acquire(const Patience& patience, int interrupt) = 0;

  // Call the rest only once the lock is obtained.

  /// While any process has one of these open, the lock is not given away while the lease runs, even
  /// if this process is killed. Call it once.
  virtual std::vector<net::Descriptor> take_kept() = 0;
  /// How long the lease runs; null if unknown.
  virtual const file::LeaseReader* lease() const { return nullptr; }
  /// Becomes readable when the lock is lost, and stays so.
  virtual int lost() const = 0;
  /// Gives the lock to the next waiter, even if other processes still have descriptors of
  /// `take_kept` open.
  virtual void release() = 0;
};

/// Returns at once and starts no thread; throws if there can be no such lock.
std::unique_ptr<BorrowedLock> borrow(const LockWish& wish);

}  // namespace conch::cli
