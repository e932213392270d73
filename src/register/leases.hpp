// The leases of a group in a state directory. Each has a folder `life.ID.INCARNATION` with these
// files:
//
//   lease.END.BOOT   the lease runs until END, counted since boot BOOT; or instead of it
//   ended            the lease has ended
//   process          the mark of its process, if it is one of this machine (process.hpp)
//   delay.LENGTH     a lock delay: it ends by time this much later; the longest counts
//
// A lease changes only by a rename of its one file: to a later END by its peer, or to `ended` by
// any client that finds its time over or its process dead. Of two such renames only one succeeds,
// because the other finds the old name gone. So a peer that is stopped in the middle of a renewal
// until its lease is over finds it ended if anybody has noticed the end, and can renew it if nobody
// has. A lease that was seen to have ended does not come back.
//
// The folder appears with the lease already in it, by a rename from the staging folder. A member
// without a folder has no lease. Since a peer cannot renew what does not exist, that lease is over
// one lease time after a client missed it, however it was lost. The life is then given a folder
// with `ended` in it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "recovery/view.hpp"
#include "register/crash_points.hpp"
#include "register/directory.hpp"
#include "register/process.hpp"
#include "register/staging_dir.hpp"

namespace conch::file {

/// What is known of a lease: it has ended, or nothing can change before `until`.
struct Judgement {
  bool ended = false;
  Duration until{};
  /// There is no lease file. Perhaps somebody removed it because a newer view does not mention the
  /// life.
  bool missed = false;
};

class Leases {
 public:
  Leases(const Directory& root, StagingDir& work, Duration lease, CrashPoints steps);

  /// Binds that life to this process: once begun, its lease ends when the process does. Throws
  /// RegisterError if another process is or was that life.
  void attach(const PeerInstance& life);

  /// Begins the lease of a newcomer, which no view mentions, or renews it. A lost lease is not
  /// begun again: the newcomer may have been on the roster without knowing it, and been evicted.
  void begin(const PeerInstance& life);
  /// False if the lease has ended.
  bool prolong(const PeerInstance& life);
  void end(const PeerInstance& life);
  /// From now on, whoever ends this lease because its time is over waits this much longer.
  void delay(const PeerInstance& life, Duration lock_delay);
  /// Returns a descriptor for a keeper of a life that is this process. While it is open, the life
  /// does not count as dead, for as long as its lease runs. Throws std::logic_error unless the
  /// lease began here.
  Descriptor proof(const PeerInstance& life) const;
  /// Ends the lease if its time is over, or if its process and keepers are gone. `seen_dead`: its
  /// process was watched and has ended.
  Judgement judge(const PeerInstance& life, bool seen_dead);
  /// Whether a process is known to be that life. If so, and if the lease ran until some time, it
  /// runs until then unless somebody ends it, which touches its folder.
  bool has_process(const PeerInstance& life) const;
  /// Whether its lease runs and its process has not died, as far as can be seen.
  bool is_alive(const PeerInstance& life) const;
  /// How many leases this object has ended; each end wakes all watchers, including us.
  std::uint64_t ended_here() const { return ended_here_; }
  /// Opens a pidfd of its process, to be woken by its death; see watch_process.
  Descriptor process(const PeerInstance& life) const;
  /// Removes what is left of lives that the newest view does not mention. It calls `is_mentioned`
  /// only after it has found a lease to be over, because until then its peer may join the roster.
  void sweep(const std::function<bool(const PeerInstance&)>& is_mentioned);

 private:
  struct PeerLease {
    enum class State : std::uint8_t { absent, running, ended } state = State::absent;
    /// The path of the lease file, while the lease runs.
    std::string name;
    Duration end{};
    bool of_this_boot = true;
    Duration lock_delay{};

    /// When others may treat the lease as over. Its peer cannot renew it after `end`.
    Duration over() const { return end + lock_delay; }
  };
  PeerLease look(const PeerInstance& life) const;
  Pulse pulse(const PeerInstance& life, const PeerLease& lease, bool seen_dead) const;
  Duration next_look(const PeerInstance& life);
  bool finish(const PeerInstance& life, const PeerLease& lease);
  void wake_all(const PeerInstance& life);
  bool appear(const PeerInstance& life, const std::string& made);
  bool entomb(const PeerInstance& life);
  Judgement ended(const PeerInstance& life);
  Judgement miss(const PeerInstance& life, bool seen_dead);
  [[noreturn]] void fail_because_taken(const PeerInstance& life) const;

  const Directory& root_;
  StagingDir& work_;
  Duration lease_;
  CrashPoints steps_;
  std::set<PeerInstance> mine_;
  /// Lives whose lease began here. The descriptor holds the lock on the mark if the life is this
  /// process.
  std::map<PeerInstance, Descriptor> begun_;
  /// When a life was first found to have no lease.
  std::map<PeerInstance, Duration> missed_;
  /// When a life was first found to have only a keeper left.
  std::map<PeerInstance, Duration> kept_;
  std::uint64_t ended_here_ = 0;
};

}  // namespace conch::file
