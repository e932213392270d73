// Breadth first through all states, on all threads, a level at a time: the first violation found is
// one of the nearest. What is reached and not expanded yet waits in batches, which are used again.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "check/check.hpp"
#include "check/storage.hpp"
#include "check/visited.hpp"

namespace conch::check {

/// The kind of search says what walks (Walker), what it does (Step), how a state was first reached
/// (Record), and what else is known of one that is to be expanded (Note).
template <class Kind>
class BreadthFirst {
 protected:
  using Walker = typename Kind::Walker;
  using Step = typename Kind::Step;
  using Record = typename Kind::Record;
  using Note = typename Kind::Note;
  using Id = std::uint32_t;
  using Words = std::span<const std::uint32_t>;
  static constexpr Id none = ~Id{0};

  struct Item {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    Id id = none;
    Note note;
  };
  struct Batch {
    static constexpr std::size_t items_max = 128;
    std::vector<Item> items;
    std::vector<std::uint32_t> words;

    std::size_t bytes() const {
      return items.size() * sizeof(Item) + words.size() * sizeof(std::uint32_t);
    }
  };
  using Level = std::vector<std::unique_ptr<Batch>>;
  struct Worker {
    explicit Worker(Walker made) : walker(std::move(made)) {}
    Walker walker;
    Level reached;
    /// The block of records that it fills, and the number of the next one.
    Record* records = nullptr;
    Id next_record = 0;
    std::vector<Step> steps;
    std::uint64_t transitions = 0;
    std::uint32_t seen = 0;
  };

  template <class Model, class Options>
  BreadthFirst(Model& model, const Options& options, const ProgressSink& progress, bool exact)
      : memory_(model.memory()),
        stop_(options.stop),
        progress_(progress),
        visited_(memory_, exact) {
    for (unsigned i = 0; i < options.threads; ++i)
      workers_.push_back(std::make_unique<Worker>(Walker(model, options)));
  }
  ~BreadthFirst() = default;

  virtual void begin(Worker& worker) = 0;
  virtual void expand(Worker& worker, Words words, const Item& item) = 0;

  void search() {
    guarded([&] {
      begin(*workers_[0]);
      for (Level level = next_level(); !level.empty() && !ended_; level = next_level()) {
        expand_level(level);
        if (!ended_) ++depth_;
      }
    });
  }

  /// The number of what is recorded with this.
  Id record(Worker& worker, const Record& record) {
    if (worker.next_record % records_per_block == 0) add_records(worker);
    worker.records[worker.next_record % records_per_block] = record;
    return worker.next_record++;
  }
  void reach(Worker& worker, Words words, Id id, const Note& note) {
    if (worker.reached.empty() || worker.reached.back()->items.size() == Batch::items_max)
      worker.reached.push_back(new_batch());
    Batch& batch = *worker.reached.back();
    batch.items.push_back({static_cast<std::uint32_t>(batch.words.size()),
                           static_cast<std::uint32_t>(words.size()), id, note});
    batch.words.insert(batch.words.end(), words.begin(), words.end());
    ++states_;
  }
  /// All that are found while one level is expanded are equally near. The step is not in any
  /// record.
  void found(const sim::Violation& violation, Id at, std::optional<Step> step) {
    std::lock_guard lock(mutex_);
    if (violation_) return;
    violation_ = violation;
    found_at_ = at;
    found_by_ = step;
    ended_ = true;
  }

  /// Called when the threads are done: they write the records.
  std::vector<Step> way() const {
    std::vector<Step> steps;
    if (found_by_) steps.push_back(*found_by_);
    for (Id id = found_at_; id != none;) {
      const Record& record = records_[id / records_per_block][id % records_per_block];
      id = record.parent;
      if (id != none) steps.push_back(record.step());
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  template <class Report>
  void fill(Report& report) const {
    report.states = states_;
    report.depth = depth_;
    if (!violation_) report.incomplete = incomplete_;
    report.complete = incomplete_.empty() && !violation_;
    report.violation = violation_;
    report.steps = way();
    for (const auto& worker : workers_) report.transitions += worker->transitions;
  }
  std::uint32_t seen() const {
    std::uint32_t seen = 0;
    for (const auto& worker : workers_) seen |= worker->seen;
    return seen;
  }
  /// The bytes that all states found so far take.
  std::size_t bytes() const { return visited_.bytes() + states_ * sizeof(Record) + level_bytes_; }
  bool insert(Words words) { return visited_.insert(words); }

 private:
  static constexpr std::size_t records_per_block = std::bit_floor(Memory::step / sizeof(Record));
  static constexpr std::size_t record_blocks_max = none / records_per_block;

  /// Does it, and gives up if there is no room.
  template <class F>
  void guarded(F&& f) {
    try {
      f();
    } catch (const std::length_error& error) {  // more than a state, or a number, has room for
      give_up(error.what());
    } catch (const MemoryFull& full) {
      give_up(full.what());
    } catch (const std::bad_alloc&) {
      give_up("the system gives no more memory");
    }
  }
  void give_up(const char* why) {
    memory_.lift();
    std::lock_guard lock(mutex_);
    ended_ = true;
    incomplete_ = why;
  }

  /// Everything that the workers have reached since the last call.
  Level next_level() {
    Level level;
    for (const auto& worker : workers_) {
      std::move(worker->reached.begin(), worker->reached.end(), std::back_inserter(level));
      worker->reached.clear();
    }
    std::size_t bytes = 0;
    std::uint64_t queue = 0;
    for (const auto& batch : level) {
      bytes += batch->bytes();
      queue += batch->items.size();
    }
    level_bytes_ = std::max(level_bytes_, bytes);
    if (progress_) progress_({states_, queue, depth_});
    return level;
  }

  void expand_level(Level& level) {
    next_batch_ = 0;
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < std::min(workers_.size(), level.size()); ++i)
        threads.emplace_back([this, i, &level] { work(*workers_[i], level); });
    } catch (const std::system_error&) {  // the system gives no more threads: these do it all
    }
    work(*workers_[0], level);
  }

  void work(Worker& worker, Level& level) {
    guarded([&] {
      for (std::size_t i = next_batch_++; i < level.size() && !ended_; i = next_batch_++) {
        const Batch& batch = *level[i];
        for (const Item& item : batch.items) {
          if (ended_) return;
          expand(worker, {batch.words.data() + item.offset, item.size}, item);
        }
        if (stop_ != nullptr && *stop_) give_up("interrupted");
        std::lock_guard lock(mutex_);
        spare_.push_back(std::move(level[i]));
      }
    });
  }

  std::unique_ptr<Batch> new_batch() {
    std::unique_lock lock(mutex_);
    if (!spare_.empty()) {
      std::unique_ptr<Batch> batch = std::move(spare_.back());
      spare_.pop_back();
      batch->items.clear();
      batch->words.clear();
      return batch;
    }
    lock.unlock();
    memory_.expect_room();
    auto batch = std::make_unique<Batch>();
    batch->items.reserve(Batch::items_max);
    return batch;
  }

  void add_records(Worker& worker) {
    memory_.expect_room();
    auto block = std::make_unique<Record[]>(records_per_block);
    std::lock_guard lock(mutex_);
    if (records_.size() == record_blocks_max) throw std::length_error("more than 2^32 states");
    worker.records = block.get();
    worker.next_record = static_cast<Id>(records_.size() * records_per_block);
    records_.push_back(std::move(block));
  }

  Memory& memory_;
  const std::atomic<bool>* stop_;
  const ProgressSink& progress_;
  Visited visited_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<std::size_t> next_batch_ = 0;
  std::atomic<std::uint64_t> states_ = 0;
  std::atomic<bool> ended_ = false;
  /// The runs of so many steps have been explored, all of them.
  std::uint32_t depth_ = 0;
  /// The bytes of the largest level.
  std::size_t level_bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Record[]>> records_;
  Level spare_;
  std::string incomplete_;
  /// A violation, the state in which it was found, and the step that is not in any record.
  std::optional<sim::Violation> violation_;
  Id found_at_ = none;
  std::optional<Step> found_by_;
};

}  // namespace conch::check
