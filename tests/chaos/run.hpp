// One chaos run: a crew works, things go wrong, all is well again, everybody must get in, and the
// history is checked.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chaos/checker.hpp"
#include "chaos/crew.hpp"
#include "chaos/nemesis.hpp"

namespace conch::chaos {

struct RunOptions {
  Group group = {};
  std::uint64_t seed = 1;
  std::chrono::milliseconds lasts{60'000};
  std::set<Kind> kinds = {};
  /// Zero: for as long as it lasts; else so many holders are hit, and no more.
  std::size_t holders_to_hit = 0;
  /// Nothing more goes wrong once something was found.
  bool ends_when_wrong = false;
  Duration pause = std::chrono::milliseconds(700);
  /// Whatever comes of the run is there.
  std::string folder;
};

class Run {
 public:
  /// `tell` is called with a line for everything that goes wrong on purpose.
  Run(const RunOptions& options, const std::atomic<bool>& is_cancelled,
      std::function<void(const std::string&)> tell);

  ::chaos::Verdict go();

 private:
  using Progress = std::map<std::pair<std::string, std::string>, std::uint64_t>;

  /// Nothing else is measured, or sought, than what they would disturb.
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
  /// Whether everybody got in then.
  bool calm_down();
  void end_commands();
  void finish();
  void look_for_leaks();

  /// False if the run was cancelled meanwhile.
  bool pause(Duration time) const;
  bool await(const std::function<bool()>& is_so, Duration within) const;
  /// Whether everybody has entered every lock so often.
  bool all_have_entered(std::uint64_t times);
  void read_progress();
  void complain(const std::string& what) { complaints_.push_back(what); }
  ::chaos::Verdict judge();

  RunOptions options_;
  const std::atomic<bool>& is_cancelled_;
  std::function<void(const std::string&)> tell_;
  Crew crew_;
  Nemesis nemesis_;
  Time begun_;
  std::streamoff progress_read_ = 0;
  Progress progress_;
  std::map<std::string, std::size_t> descriptors_before_;
  std::vector<std::string> complaints_;
};

}  // namespace conch::chaos
