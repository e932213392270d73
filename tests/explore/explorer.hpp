// Draws tasks and runs several at a time until the time is over or the program is stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "explore/child.hpp"
#include "explore/families.hpp"
#include "explore/report.hpp"
#include "explore/share.hpp"

namespace conch::explore {

struct Settings {
  double minutes = 10;
  unsigned jobs = 1;
  /// The folder where findings are kept.
  std::string folder;
};

class Explorer {
 public:
  Explorer(std::vector<Family> families, const Settings& settings, std::atomic<bool>& stop);

  void run();

  std::vector<Tally> tallies() const;
  std::vector<FirstFailure> findings() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// A task of a family with its seeds.
  struct Job {
    std::size_t family = 0;
    Task task;
    Seeds seeds;
  };

  void work();
  std::optional<Job> next_job(Random& random);
  std::uint64_t seeds_for(std::size_t family, const Task& task) const;
  void carry_out(Job job);
  TaskResult run(const Job& job, std::uint64_t* took_ms = nullptr);
  /// Afterwards `job` is the one that the outcome belongs to.
  TaskResult run_patiently(Job& job, std::uint64_t* took_ms);

  // Failures.
  void examine(const Job& job, const TaskResult& outcome);
  /// Whether the outcome is the first of its kind; the others are only counted.
  bool claim(const Job& job, const TaskResult& outcome);
  std::optional<std::uint64_t> isolate(Job job, const std::string& kind, Clock::time_point until);
  FirstFailure pin_down(const Job& job, const TaskResult& outcome);
  void keep(const Failing& failing, FirstFailure& finding);
  /// Whether the task fails in the same way.
  bool fails(const Task& task, std::uint64_t seed, const Job& job, const std::string& kind);
  void tell_progress();

  double left_s() const;

  std::vector<Family> families_;
  Settings settings_;
  std::atomic<bool>& stop_;
  Clock::time_point begun_ = Clock::now();

  mutable std::mutex mutex_;
  Share share_;
  std::vector<Tally> tallies_;
  /// A moving average of the time of a run in each family, in seconds.
  std::vector<double> run_s_;
  std::vector<FirstFailure> findings_;
  std::set<std::string> names_;
};

}  // namespace conch::explore
