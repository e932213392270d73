#include "explore/child.hpp"

#include <sys/prctl.h>

#include "process.hpp"

namespace conch::explore {

ChildEnd run_child(const std::vector<std::string>& words, const Patience& patience,
                   const std::atomic<bool>& stop) {
  constexpr Milliseconds step{100};
  // In a group of its own, so that a Ctrl-C is ours to pass on.
  Process child(words, [] {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);
  });
  Stopwatch watch;
  ChildEnd end;
  Milliseconds asked_at{0};
  bool is_asked = false;
  while (child.await_exit(step) == still_running) {
    bool has_had_enough = patience.enough.count() > 0 && watch.elapsed() > patience.enough;
    if (!is_asked && (stop || has_had_enough)) {
      end.was_stopped = !has_had_enough;
      is_asked = true;
      asked_at = watch.elapsed();
      child.send(SIGINT);
    }
    Milliseconds since = is_asked ? watch.elapsed() - asked_at : watch.elapsed();
    if (since <= patience.limit) continue;
    end.finished.timed_out = true;
    ::kill(-child.id(), SIGKILL);
    child.await_exit();
    break;
  }
  end.finished.status = child.await_exit();
  end.finished.output = child.output();
  return end;
}

}  // namespace conch::explore
