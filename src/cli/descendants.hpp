// The processes that came of this one. In a child subreaper (prctl(2)) none can leave the family: a
// process whose parent died becomes a child of ours.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace conch::cli {

struct Descendant {
  pid_t process = 0;
  pid_t parent = 0;
  /// When it began, which tells it from a later one with its number.
  std::string start;
  /// The name of its program; see proc(5).
  std::string name;
  /// Has ended, and nobody has asked how.
  bool is_zombie = false;
  bool is_stopped = false;
};

/// As /proc shows them, parents before their children. Those that come and go may be missed.
std::vector<Descendant> descendants_of(pid_t process);

/// None if there is no such process.
std::optional<Descendant> find_process(pid_t process);
/// 0 if there is no such process.
pid_t parent_of(pid_t process);

using Reaped = std::function<void(pid_t process, int wait_status)>;

/// Asks how children ended, as far as they have. False if there are none left, ended or not.
bool reap(const Reaped& reaped);

/// Kills all, and waits until the last has gone; only for a subreaper, all of whose children may
/// go. What we are not allowed to kill, or cannot be killed where it is in the kernel, is waited
/// for.
void kill_descendants(const Reaped& reaped = [](pid_t, int) {});

}  // namespace conch::cli
