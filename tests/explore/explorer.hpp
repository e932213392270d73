// Draws tasks and runs them, several at a time, until the time is up or somebody says stop.
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
  /// What is found is kept here.
  std::string folder;
};

class Explorer {
 public:
  Explorer(std::vector<Family> families, const Settings& settings, std::atomic<bool>& stop);

  void run();

  std::vector<Tally> tallies() const;
  std::vector<Finding> findings() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// A family's task with its seeds.
  struct Job {
    std::size_t family = 0;
    Task task;
    Seeds seeds;
  };

  void work();
  std::optional<Job> next_job(Random& random);
  std::uint64_t seeds_for(std::size_t family, const Task& task) const;
  void carry_out(Job job);
  Outcome run(const Job& job, std::uint64_t* took_ms = nullptr);
  /// The job is what its outcome is of, afterwards.
  Outcome run_patiently(Job& job, std::uint64_t* took_ms);

  // What was found.
  void examine(const Job& job, const Outcome& outcome);
  /// Whether it is the first of its kind; the others are counted.
  bool claim(const Job& job, const Outcome& outcome);
  std::optional<std::uint64_t> isolate(Job job, const std::string& kind, Clock::time_point until);
  Finding pin_down(const Job& job, const Outcome& outcome);
  void keep(const Failing& failing, Finding& finding);
  /// In the same way.
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
  /// Of a run in each family, about.
  std::vector<double> run_s_;
  std::vector<Finding> findings_;
  std::set<std::string> names_;
};

}  // namespace conch::explore
