#include "explore/child.hpp"

#include <sys/prctl.h>

#include <ctime>

#include "process.hpp"

namespace conch::explore {
namespace {

/// The processor time of all threads; zero for a process that has ended.
Milliseconds processor_time(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return std::chrono::duration_cast<Milliseconds>(std::chrono::seconds(used.tv_sec) +
                                                  std::chrono::nanoseconds(used.tv_nsec));
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& words, const Patience& patience,
                   const std::atomic<bool>& stop) {
  constexpr Milliseconds step{100};
  constexpr int starved_factor = 4;
  // In a process group of its own, so that Ctrl-C reaches only this program, which passes it on.
  Process child(words, [] {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);
  });
  Stopwatch watch;
  ChildEnd end;
  Milliseconds asked_at{0};
  Milliseconds used_by_then{0};
  bool is_asked = false;
  while (child.await_exit(step) == still_running) {
    bool has_had_enough = patience.enough.count() > 0 && watch.elapsed() > patience.enough;
    if (!is_asked && (stop || has_had_enough)) {
      end.was_stopped = !has_had_enough;
      is_asked = true;
      asked_at = watch.elapsed();
      used_by_then = processor_time(child.id());
      child.send(SIGINT);
    }
    Milliseconds since = watch.elapsed() - asked_at;
    // On a busy machine the child may have had no processor for most of that time.
    bool has_had_its_share = processor_time(child.id()) - used_by_then > patience.limit;
    if (!has_had_its_share && since <= patience.limit * starved_factor) continue;
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
