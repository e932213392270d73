// One chaos run: the workers work, faults hit them, the faults end, every worker must get in again,
// and the history is checked.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chaos/checker.hpp"
#include "chaos/nemesis.hpp"
#include "chaos/peer_processes.hpp"

namespace conch::chaos {

struct RunOptions {
  Group group = {};
  std::uint64_t seed = 1;
  std::chrono::milliseconds lasts{60'000};
  std::set<Kind> kinds = {};
  /// How many holders are hit before the run ends; 0 if time alone ends it.
  std::size_t holders_to_hit = 0;
  /// Ends the faults once something was found.
  bool ends_when_wrong = false;
  Duration pause = std::chrono::milliseconds(700);
  /// The folder for all files of the run.
  std::string folder;
};

class Run {
 public:
  /// `tell` gets a line for each fault that the run causes.
  Run(const RunOptions& options, const std::atomic<bool>& is_cancelled,
      std::function<void(const std::string&)> tell);

  ::chaos::Verdict go();

 private:
  using Progress = std::map<std::pair<std::string, std::string>, std::uint64_t>;

  /// Whether commands run. They would disturb a measurement and the search for a planted bug.
  bool runs_commands() const {
    return options_.group.has_register() && options_.holders_to_hit == 0 &&
           options_.group.plant.empty();
  }
  bool warm_up();
  void be_hit();
  bool has_seen_enough();
  void hit(const Fault& fault);
  std::vector<std::size_t> victims(const Fault& fault);
  std::size_t holder_or(std::size_t seat);
  void begin(const Fault& fault, const std::vector<std::size_t>& seats);
  void end(const Fault& fault, const std::vector<std::size_t>& seats);
  void await_end(std::size_t seat, Duration patience);
  void restart(std::size_t seat);
  /// Whether every worker got in again.
  bool calm_down();
  void end_commands();
  void finish();
  void look_for_leaks();

  /// Returns false if the run is cancelled meanwhile.
  bool pause(Duration time) const;
  bool await(const std::function<bool()>& is_so, Duration within) const;
  /// Whether every worker has entered every lock at least `times` times.
  bool all_have_entered(std::uint64_t times);
  void read_progress();
  void complain(const std::string& what) { complaints_.push_back(what); }
  ::chaos::Verdict judge();

  RunOptions options_;
  const std::atomic<bool>& is_cancelled_;
  std::function<void(const std::string&)> tell_;
  PeerProcesses processes_;
  Nemesis nemesis_;
  Time begun_;
  std::streamoff progress_read_ = 0;
  Progress progress_;
  std::map<std::string, std::size_t> descriptors_before_;
  std::vector<std::string> complaints_;
};

}  // namespace conch::chaos
