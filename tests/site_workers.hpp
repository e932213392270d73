// Three peers in each of three sites: processes (site_worker.cpp) that all enter one lock so many
// times. The test meets them three times, and they go on when it does: when all have joined, when
// all have entered some times, and when all have done their work. Then they leave and end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "rig/rig.hpp"

namespace conch::testing {

class SiteWorkers {
 public:
  static constexpr std::size_t sites = 3;
  static constexpr std::size_t workers_per_site = 3;
  static constexpr std::size_t workers = sites * workers_per_site;
  enum class Meeting : std::uint32_t { joined = 1, warm, done };

  /// The words are those of site_worker.
  SiteWorkers(const rig::Quality& quality, std::size_t entries_per_worker,
              std::vector<std::string> words)
      : rig_(sites, 1),
        arena_(rig_.folder() + "/arena"),
        entries_per_worker_(entries_per_worker),
        words_(std::move(words)) {
    rig_.wire().set(quality);
    arena_->ready_wanted = workers + 1;
    for (std::size_t worker = 0; worker < workers; ++worker) start(worker);
  }

  rig::Wire& wire() { return rig_.wire(); }
  const SharedArena& arena() const { return arena_; }
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

  /// A signal to all of a site.
  void send(std::size_t site, int signal) {
    for (std::size_t worker = 0; worker < workers; ++worker)
      if (site_of(worker) == site) processes_[worker]->send(signal);
  }

  /// All are there, and wait for us.
  bool have_met(Meeting meeting) const {
    return arena_->ready + 1 == static_cast<std::uint32_t>(meeting) * arena_->ready_wanted;
  }
  void go_on() { ++arena_->ready; }
  void expect_all_end() {
    go_on();
    go_on();
    for (Process* worker : processes_) EXPECT_EQ(worker->await_exit(), 0) << worker->output();
  }
  void expect_exclusion() const {
    EXPECT_EQ(arena_->overlaps, 0u);
    EXPECT_EQ(arena_->stale_fences, 0u);
    EXPECT_GE(arena_->entries, workers * entries_per_worker_);
    EXPECT_GE(arena_->handovers, workers);
  }

 private:
  /// The first one has the register, and is known to all. None is told what it is near to: the name
  /// of its host is the label of its cluster.
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
  SharedArena arena_;
  std::size_t entries_per_worker_;
  std::vector<std::string> words_;
  std::vector<Process*> processes_;
};

/// One look a millisecond: no descriptor tells.
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
