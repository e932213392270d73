// The status of a group, as Peer::status() collects it: plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace conch {

struct GroupStatus {
  struct Member {
    /// See Peer::id.
    std::uint64_t id = 0;
    std::string address;
    std::string cluster;
    /// False if the member did not answer within a second; then its locks are unknown.
    bool answers = false;
    /// The process id, and how long it has been in the group; zero unless it answers.
    std::uint64_t process = 0;
    std::chrono::nanoseconds age{};
  };
  /// A member that holds a lock or waits for it.
  struct Claim {
    std::uint64_t member = 0;
    bool shared = false;
    /// How long it has held the lock or waited for it.
    std::chrono::nanoseconds since{};
    /// How many more threads and clients of that member wait behind this one.
    std::uint64_t in_line = 0;
  };
  struct Lock {
    std::string name;
    /// The fence of the holder; 0 if nobody holds the lock.
    std::uint64_t fence = 0;
    /// The member that has the lock's token, whether or not the lock is held; none if no member
    /// reported it.
    std::optional<std::uint64_t> token = {};
    std::vector<Claim> holders = {};
    /// Sorted by waiting time, the longest first.
    std::vector<Claim> waiters = {};
  };

  std::string group;
  std::string algorithm;
  std::uint64_t epoch = 0;
  /// In a group without a register: the peer that was asked, and its neighbours.
  std::vector<Member> members;
  /// The locks in use, sorted by name.
  std::vector<Lock> locks;
};

}  // namespace conch
