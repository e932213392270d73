// Breadth first through all states, on all threads, a level at a time: the first violation found is
// one of the nearest.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "check/check.hpp"
#include "check/visited.hpp"
#include "check/walker.hpp"

namespace conch::check {

class Explorer {
 public:
  Explorer(Model& model, const Options& options, const ProgressSink& progress);

  /// Fills everything but livelocks.
  Report run();
  /// The shortest way to a state with this fingerprint; for a cycle that was found otherwise.
  std::optional<std::vector<Step>> way_to(Fingerprint target);

 private:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};
  static constexpr int thread_shift = 28;

  /// How a state was first reached.
  struct Record {
    Id parent = none;
    std::uint32_t packet = 0;
    std::uint32_t step = 0;
  };
  /// A state to expand. What the last step was decides which steps need not be taken: see
  /// `needless`.
  struct Item {
    std::size_t offset = 0;
    std::uint32_t size = 0;
    Id id = none;
    Node last = 0;
    bool plain = false;
    const std::vector<Sent>* sent = nullptr;
  };
  struct Worker {
    explicit Worker(Model& model, const Options& options) : walker(model, options) {}
    Walker walker;
    std::vector<Record> records;
    std::vector<Item> items;
    std::vector<std::uint32_t> words;
    std::vector<Step> steps;
    std::uint64_t transitions = 0;
    std::uint32_t seen = 0;
  };
  struct Level {
    std::vector<Item> items;
    std::vector<std::uint32_t> words;
  };

  void begin();
  void expand_level(const Level& level);
  void work(std::size_t thread, const Level& level);
  void give_up(const std::string& why);
  void expand(std::size_t thread, const Level& level, const Item& item);
  void arrive(std::size_t thread, const State& state, const Item& from, const Step& step,
              const Taken& taken);
  bool needless(const Item& item, const Step& step) const;
  void see(Worker& worker, const State& state, const Taken& taken) const;
  void found(const sim::Violation& violation, Id at, std::optional<Step> step);
  Level next_level();
  std::vector<Step> way() const;
  std::map<Sometimes, bool> sometimes() const;

  Model& model_;
  const Options& options_;
  const ProgressSink& progress_;
  Visited visited_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<std::size_t> next_item_ = 0;
  std::atomic<std::uint64_t> states_ = 0;
  std::atomic<bool> ended_ = false;
  std::uint32_t depth_ = 0;
  std::size_t level_bytes_ = 0;
  std::string incomplete_;
  std::mutex mutex_;
  /// A violation, the state in which it was found, and the step that is not in any record.
  std::optional<sim::Violation> violation_;
  Id found_at_ = none;
  std::optional<Step> found_by_;
  std::optional<Fingerprint> target_;
};

}  // namespace conch::check
