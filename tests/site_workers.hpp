// Three peers at each of three sites: processes (site_worker.cpp) that all enter one lock a given
// number of times. The test waits for them three times and lets them go on: when all have joined,
// when all have entered a few times, and when all have done their work. Then they leave and end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rig/rig.hpp"
#include "shared_memory.hpp"

namespace conch::testing {

class SiteWorkers {
 public:
  static constexpr std::size_t sites = 3;
  static constexpr std::size_t workers_per_site = 3;
  static constexpr std::size_t workers = sites * workers_per_site;
  enum class Meeting : std::uint32_t { joined = 1, warm, done };

  /// `words` are options of site_worker.
  SiteWorkers(const rig::Quality& quality, std::size_t entries_per_worker,
              std::vector<std::string> words)
      : rig_(sites, 1),
        memory_(rig_.folder() + "/arena"),
        entries_per_worker_(entries_per_worker),
        words_(std::move(words)) {
    rig_.wire().set(quality);
    memory_->ready_wanted = workers + 1;
    for (std::size_t worker = 0; worker < workers; ++worker) start(worker);
  }

  rig::Wire& wire() { return rig_.wire(); }
  const SharedMemoryFile& memory() const { return memory_; }
  static std::size_t site_of(std::size_t worker) { return worker / workers_per_site; }
  std::string trace(std::size_t worker) const {
    return rig_.folder() + "/trace" + std::to_string(worker);
  }
  std::string output(std::size_t worker) { return processes_[worker]->output(); }
  std::string output() {
    std::string all;
    for (std::size_t worker = 0; worker < workers; ++worker) all += output(worker);
    return all;
  }

  /// Sends a signal to all workers of a site.
  void send(std::size_t site, int signal) {
    for (std::size_t worker = 0; worker < workers; ++worker)
      if (site_of(worker) == site) processes_[worker]->send(signal);
  }

  /// Whether all workers have arrived at this meeting and wait for the test.
  bool have_met(Meeting meeting) const {
    return memory_->ready + 1 == static_cast<std::uint32_t>(meeting) * memory_->ready_wanted;
  }
  void go_on() { ++memory_->ready; }
  void expect_all_end() {
    go_on();
    go_on();
    for (Process* worker : processes_) EXPECT_EQ(worker->await_exit(), 0) << worker->output();
  }
  void expect_exclusion() const {
    EXPECT_EQ(memory_->overlaps, 0u);
    EXPECT_EQ(memory_->stale_fences, 0u);
    EXPECT_GE(memory_->entries, workers * entries_per_worker_);
    EXPECT_GE(memory_->handovers, workers);
  }

 private:
  /// The first worker has the register, and the others know its address. None is told which peers
  /// are near: the label of its cluster is the name of its host.
  void start(std::size_t worker) {
    std::string known = rig_.site(0).address() + ":7947";
    std::string own = rig_.site(site_of(worker)).address() + ":0";
    std::vector<std::string> words{SITE_WORKER, rig_.folder(), std::to_string(worker + 1),
                                   std::to_string(entries_per_worker_)};
    words.insert(words.end(), words_.begin(), words_.end());
    words.push_back("listen=" + (worker == 0 ? known : own));
    words.push_back("trace=" + trace(worker));
    if (site_of(worker) != 0) words.push_back("join=" + known);
    processes_.push_back(&rig_.start(site_of(worker), words));
    if (worker > 0) return;
    EXPECT_TRUE(processes_.front()->await_output("joined")) << output(0);
  }

  rig::Rig rig_;
  SharedMemoryFile memory_;
  std::size_t entries_per_worker_;
  std::vector<std::string> words_;
  std::vector<Process*> processes_;
};

/// Polls every millisecond, because there is no descriptor to wait for.
template <class Predicate>
bool await(Predicate&& predicate, Milliseconds within) {
  Stopwatch watch;
  while (!predicate()) {
    if (watch.elapsed() >= within) return false;
    std::this_thread::sleep_for(Milliseconds(1));
  }
  return true;
}

}  // namespace conch::testing
