// The leases of a group, one folder `life.ID.INCARNATION` each, in which is
//
//   lease.END.BOOT   it runs until END, since that boot, or
//   ended            it has ended, and
//   process          which process it is, if it is one of this machine (process.hpp), and
//   delay.LENGTH     it is over by time so much later; of several, the longest counts.
//
// All that can happen to a lease is a rename of the one file: to a later END by its peer, to
// `ended` by whoever finds that its time is over or its process dead. Of two such renames one
// succeeds, for the other finds the old name gone. So a peer that was stopped inside of a renewal
// until its lease was over finds it ended if anybody has seen that it was, and else nobody has: a
// lease that was seen to have ended does not come back.
//
// The folder appears with the lease in it, by a rename from a workplace. A member without one has
// no lease; since a peer cannot renew what is not there, its lease is over one lease time after
// somebody missed it, however it was lost. It is then given a folder with `ended` in it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "recovery/view.hpp"
#include "register/directory.hpp"
#include "register/process.hpp"
#include "register/steps.hpp"
#include "register/workplace.hpp"

namespace conch::file {

/// What is known of a lease: that it has ended, or until when there is nothing more to know.
struct Judgement {
  bool ended = false;
  Duration until{};
  /// There is no lease. Perhaps it was removed because a newer view does not mention the life.
  bool missed = false;
};

class Leases {
 public:
  Leases(const Directory& root, Workplace& work, Duration lease, Steps steps);

  /// This process is that life: its lease, once begun, ends when the process does.
  /// Throws RegisterError if another is, or was.
  void attach(const recovery::Life& life);

  /// Begins the lease of a newcomer, which no view mentions, or prolongs it. Once lost, it is not
  /// begun again: the newcomer may have been on the roster without knowing, and been evicted.
  void begin(const recovery::Life& life);
  /// False if it has ended.
  bool prolong(const recovery::Life& life);
  void end(const recovery::Life& life);
  /// Whoever ends it because its time is over waits so much longer.
  void delay(const recovery::Life& life, Duration lock_delay);
  /// For a keeper of a life that is this process: who has it open keeps the life from being taken
  /// for dead, as far as its lease runs. Throws std::logic_error unless the lease began here.
  Descriptor proof(const recovery::Life& life) const;
  /// Ends it if its time is over, or its process and keepers are gone. `seen_dead`: its process was
  /// watched, and has ended.
  Judgement judge(const recovery::Life& life, bool seen_dead);
  /// How many leases were ended here; each wakes all who watch, us as well.
  std::uint64_t ended_here() const { return ended_here_; }
  /// Its process, to be woken by its death; see watch_process.
  Descriptor process(const recovery::Life& life) const;
  /// Removes what is left of lives that the newest view does not mention. `is_mentioned` is asked
  /// after a lease was found to be over, for until then its peer may come on the roster.
  void sweep(const std::function<bool(const recovery::Life&)>& is_mentioned);

 private:
  struct Lease {
    enum class State : std::uint8_t { absent, running, ended } state = State::absent;
    /// The file, while it runs.
    std::string name;
    Duration end{};
    bool of_this_boot = true;
    Duration lock_delay{};

    /// For others than its peer.
    Duration over() const { return end + lock_delay; }
  };
  Lease look(const recovery::Life& life) const;
  Pulse pulse(const recovery::Life& life, const Lease& lease, bool seen_dead) const;
  Duration next_look(const recovery::Life& life);
  bool finish(const recovery::Life& life, const Lease& lease);
  void wake_all(const recovery::Life& life);
  bool appear(const recovery::Life& life, const std::string& made);
  bool entomb(const recovery::Life& life);
  Judgement ended(const recovery::Life& life);
  Judgement miss(const recovery::Life& life, bool seen_dead);
  [[noreturn]] void fail_because_taken(const recovery::Life& life) const;

  const Directory& root_;
  Workplace& work_;
  Duration lease_;
  Steps steps_;
  std::set<recovery::Life> mine_;
  /// Whose lease began here. The mark of a life that is this process is locked by it.
  std::map<recovery::Life, Descriptor> begun_;
  /// When a life without a lease was missed.
  std::map<recovery::Life, Duration> missed_;
  /// When a life was found to have nobody left but a keeper.
  std::map<recovery::Life, Duration> kept_;
  std::uint64_t ended_here_ = 0;
};

}  // namespace conch::file
