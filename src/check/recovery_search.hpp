// Breadth first through all states of a group, on all threads, a level at a time: the first
// violation found is one of the nearest.
#pragma once

#include <memory>
#include <mutex>

#include "check/recovery_check.hpp"
#include "check/recovery_walker.hpp"
#include "check/visited.hpp"

namespace conch::check::group {

class Search {
 public:
  Search(Model& model, const Options& options, const ProgressSink& progress);
  /// Fills everything but the model.
  Report run();

 private:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};
  static constexpr int thread_shift = 28;
  static constexpr std::size_t records_max = std::size_t{1} << thread_shift;

  /// How a state was first reached.
  struct Record {
    Id parent = none;
    Step step;
  };
  /// A state to expand.
  struct Item {
    std::size_t offset = 0;
    std::uint32_t size = 0;
    Id id = none;
  };
  struct Level {
    std::vector<Item> items;
    std::vector<std::uint32_t> words;
  };
  struct Worker {
    Worker(Model& model, const Options& options) : walker(model, options) {}
    Walker walker;
    std::vector<Record> records;
    Level reached;
    std::vector<Step> steps;
    std::uint64_t transitions = 0;
    std::uint32_t seen = 0;
  };

  Level next_level();
  void expand_level(const Level& level);
  void work(std::size_t thread, const Level& level);
  void expand(std::size_t thread, const Level& level, const Item& item);
  void arrive(std::size_t thread, const State& state, Id parent, const Step& step);
  void found(const sim::Violation& violation, Id at, std::optional<Step> step);
  void give_up(const std::string& why);
  std::size_t bytes() const;
  std::vector<Step> way() const;

  Model& model_;
  const Options& options_;
  const ProgressSink& progress_;
  Visited visited_{false};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<std::size_t> next_item_ = 0;
  std::atomic<std::uint64_t> states_ = 0;
  std::atomic<bool> ended_ = false;
  std::uint32_t depth_ = 0;
  std::size_t level_bytes_ = 0;
  std::size_t model_bytes_ = 0;
  std::mutex mutex_;
  std::string incomplete_;
  /// A violation, the state in which it was found, and the step that is not in any record.
  std::optional<sim::Violation> violation_;
  Id found_at_ = none;
  std::optional<Step> found_by_;
};

/// Of all that these bounds should reach: whether it is among the bits.
std::map<Sometimes, bool> expected(const Options& options, std::uint32_t seen);

}  // namespace conch::check::group
