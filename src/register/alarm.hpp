// One descriptor that becomes readable when something has happened that a register's reader would
// see: a file appeared where the next view will be, somebody's lease was ended, the time of one is
// over, or a process died.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch::file {

class Alarm {
 public:
  /// `inotify_after`: for so long it does without inotify, and rings now and then to make one look.
  /// To close an inotify instance takes the kernel up to 20 ms, in which a short command is over.
  explicit Alarm(const Directory& root, Duration inotify_after = Duration::zero());

  int descriptor() const { return epoll_.number(); }
  /// Before one looks: what happens afterwards rings again.
  void silence();
  /// Rings when something appears in this segment, and no longer in another. True if it was watched
  /// before; else one must look once more, for something may have appeared just before.
  bool watch(const std::string& segment);
  /// At the latest then.
  void ring_at(std::optional<Duration> since_boot);

  bool watches(const recovery::Life& life) const { return processes_.contains(life); }
  void watch(const recovery::Life& life, Descriptor process);
  /// Whether its process was watched, and has ended. It rings no longer for that.
  bool has_died(const recovery::Life& life);
  /// Watches no others any longer.
  void keep(const std::set<recovery::Life>& lives);

 private:
  void include(const Descriptor& source);
  void open_inotify();

  const Directory& root_;
  Descriptor epoll_;
  Descriptor timer_;
  /// None at first, and none if this user has too many: then we look several times a second.
  Descriptor inotify_;
  Duration inotify_after_;
  /// Until there is one, or was to be.
  std::optional<Duration> began_;
  std::string segment_;
  int segment_watch_ = -1;
  /// None in the place of one that has died.
  std::map<recovery::Life, Descriptor> processes_;
};

}  // namespace conch::file
