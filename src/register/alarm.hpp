// One descriptor that becomes readable when something has happened that a reader of the register
// would see: a file appeared where the next view will be, a lease was ended, the time of a lease is
// over, or a process died. FileRegister waits on it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch::file {

class ChangeAlarm {
 public:
  /// For the first `inotify_after` it polls with a timer instead of inotify: closing an inotify
  /// instance takes the kernel up to 20 ms, longer than a short command runs.
  explicit ChangeAlarm(const Directory& root, Duration inotify_after = Duration::zero());

  int descriptor() const { return epoll_.number(); }
  /// Call it before reading the register: whatever happens after it makes the descriptor readable
  /// again.
  void silence();
  /// Wakes when a file appears in this segment, and no longer for any other. Returns true if it was
  /// watched already; otherwise the caller must look once more, as a file may have appeared just
  /// before.
  bool watch(const std::string& segment);
  /// Wakes at this time at the latest.
  void ring_at(std::optional<Duration> since_boot);

  /// Wakes when this lease is ended: that touches the folder of its life. Call it before looking at
  /// the lease.
  void watch_end(const PeerInstance& life, const std::string& folder);
  /// Whether the end of the lease is watched, and was not seen since the last `watch_end`.
  bool is_calm(const PeerInstance& life) const;
  bool watches_process(const PeerInstance& life) const { return processes_.contains(life); }
  void watch_process(const PeerInstance& life, Descriptor process);
  /// Whether the process of this life was watched and has ended. Then it causes no more events.
  bool has_died(const PeerInstance& life);
  /// Stops watching all other lives.
  void keep(const std::set<PeerInstance>& lives);

 private:
  void include(const Descriptor& source);
  void take_news();
  void open_inotify();

  const Directory& root_;
  Descriptor epoll_;
  Descriptor timer_;
  /// Empty at first, and if this user has too many instances: then a timer polls instead, once a
  /// second.
  Descriptor inotify_;
  Duration inotify_after_;
  /// When polling began; empty once inotify was opened, or could not be.
  std::optional<Duration> began_;
  std::string segment_;
  int segment_watch_ = -1;
  struct EndWatch {
    int number = -1;
    /// Something has happened to the folder since `watch_end`.
    bool has_stirred = false;
  };
  std::map<PeerInstance, EndWatch> end_watches_;
  /// The descriptor is empty for a life whose process has died.
  std::map<PeerInstance, Descriptor> processes_;
};

}  // namespace conch::file
