// The descendants of this process. In a child subreaper (prctl(2)) none can escape: a process whose
// parent has died becomes a child of ours.
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
  /// Its start time, which tells it from a later process with the same id.
  std::string start;
  /// The program name; see proc(5).
  std::string name;
  /// It has ended, and its parent has not waited for it.
  bool is_zombie = false;
  bool is_stopped = false;
};

/// Reads /proc, parents before their children. It may miss processes that come and go meanwhile.
std::vector<Descendant> descendants_of(pid_t process);

/// Empty if there is no such process.
std::optional<Descendant> find_process(pid_t process);
/// 0 if there is no such process.
pid_t parent_of(pid_t process);

using Reaped = std::function<void(pid_t process, int wait_status)>;

/// Waits for all children that have ended, without blocking. False if no children are left at all.
bool reap(const Reaped& reaped);

/// Kills all descendants and waits until the last has gone. Only for a subreaper of which all
/// children may be killed. It also waits for processes that it may not kill, or that hang in the
/// kernel.
void kill_descendants(const Reaped& reaped = [](pid_t, int) {});

}  // namespace conch::cli
