// Breadth-first search through all states of a system, on all threads, one level at a time, so that
// the first violation found is one of the nearest. States that are reached and not yet expanded
// wait in batches, which are reused.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "check/report.hpp"
#include "check/state_folder.hpp"
#include "check/state_set.hpp"
#include "check/transition_system.hpp"

namespace conch::check {

template <TransitionSystem System>
class Search {
 public:
  using State = typename System::State;
  using Step = typename System::Step;
  using Way = std::vector<Step>;

  template <class Model, class Options>
  Search(Model& model, const Options& options, const ProgressSink& progress)
      : memory_(model.memory()),
        stop_(options.stop),
        progress_(progress),
        reduce_(options.reduce),
        parts_(std::make_unique<PartTable>(memory_)),
        reached_(std::make_unique<StateSet>(memory_)) {
    for (unsigned i = 0; i < options.threads; ++i)
      workers_.push_back(std::make_unique<Worker>(System(model, options), *parts_));
  }

  /// Runs the search and fills in everything but cycles.
  void run(SearchReport<Step>& report) {
    auto start = std::chrono::steady_clock::now();
    search();
    report.states = states();
    report.depth = depth_;
    if (!violation_) report.incomplete = incomplete_;
    report.complete = incomplete_.empty() && !violation_;
    report.violation = violation_;
    report.steps = way();
    for (const auto& worker : workers_) {
      report.transitions += worker->transitions;
      report.seen |= worker->seen;
    }
    report.bytes =
        reached_->bytes() + parts_->bytes() + report.states * Records::bytes_each + level_bytes_;
    report.contended = reached_->contended() + parts_->contended();
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  /// The shortest way to a state, or nothing if memory runs out. Searches again from the start.
  std::optional<Way> way_to(std::uint64_t target) {
    forget();
    target_ = target;
    search();
    return violation_ ? std::optional(way()) : std::nullopt;
  }

  /// All states that were found, and the table of their parts.
  StateSet& reached() { return *reached_; }
  PartTable& parts() { return *parts_; }
  /// Frees everything but `reached()` and `parts()`.
  void forget_ways() {
    records_.clear();
    for (const auto& worker : workers_) worker->forget();
  }

 private:
  using Id = std::uint32_t;
  static constexpr Id none = ~Id{0};

  struct Item {
    std::uint64_t state = 0;
    Id id = none;
    typename System::Note note = {};
  };
  using Batch = std::vector<Item>;
  static constexpr std::size_t batch_max = 128;
  using Level = std::vector<Batch>;

  /// How each state was first reached: from which state, and by which of its steps.
  struct Records {
    static constexpr std::size_t bytes_each = sizeof(Id) + sizeof(std::uint16_t);
    static constexpr std::size_t count = std::bit_floor(MemoryBudget::step / bytes_each);
    std::array<Id, count> parents;
    std::array<std::uint16_t, count> steps;
  };
  static constexpr std::size_t record_blocks_max = none / Records::count;

  /// A state that a step leads to. It is folded and looked up only after some others, so that the
  /// processor has time to fetch the memory it is compared with.
  struct Arrival {
    State state;
    StateFolder::Folding folding;
    std::uint64_t folded = 0;
    Id from = none;
    std::size_t step = 0;
    typename System::Note note = {};
  };
  static constexpr std::size_t arrivals_max = 16;
  static constexpr std::size_t unfolded_max = arrivals_max / 2;

  struct alignas(64) Worker {
    Worker(System made, PartTable& parts) : system(std::move(made)), folder(parts, system.cut()) {}
    void forget() {
      level.clear();
      spare.clear();
      records = nullptr;
      next_record = 0;
      states = transitions = 0;
      first = unfolded = next = 0;
    }

    System system;
    StateFolder folder;
    Level level;
    std::vector<Batch> spare;
    /// The block of records that this worker fills, and the number of its next record.
    Records* records = nullptr;
    Id next_record = 0;
    std::vector<Step> steps;
    /// A ring buffer. `first` is the number of the oldest arrival, `unfolded` of the first one that
    /// is not folded yet, and `next` of the next one to come.
    std::array<Arrival, arrivals_max> arrivals;
    std::size_t first = 0;
    std::size_t unfolded = 0;
    std::size_t next = 0;
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint32_t seen = 0;
  };

  void forget() {
    reached_ = std::make_unique<StateSet>(memory_);
    forget_ways();
    depth_ = 0;
    ended_ = false;
    incomplete_.clear();
    violation_.reset();
    found_at_ = none;
    found_by_.reset();
  }

  void search() {
    guarded([&] {
      Worker& worker = *workers_[0];
      Arrival& initial = next_arrival(worker);
      initial.state = worker.system.initial();
      expect_arrival(worker, initial, none, 0, {});
      arrive_all(worker);
      for (Level level = next_level(); !level.empty() && !ended_; level = next_level()) {
        expand_level(level);
        if (!ended_) ++depth_;
      }
    });
  }

  /// Calls f, and gives up if there is no room.
  template <class F>
  void guarded(F&& f) {
    if (std::string why = why_not(memory_, f); !why.empty()) give_up(why);
  }
  void give_up(const std::string& why) {
    std::lock_guard lock(mutex_);
    ended_ = true;
    incomplete_ = why;
  }

  std::uint64_t states() const {
    std::uint64_t sum = 0;
    for (const auto& worker : workers_) sum += worker->states;
    return sum;
  }

  /// Takes everything that the workers have reached since the last call.
  Level next_level() {
    Level level;
    std::uint64_t items = 0;
    for (const auto& worker : workers_) {
      for (const Batch& batch : worker->level) items += batch.size();
      std::move(worker->level.begin(), worker->level.end(), std::back_inserter(level));
      worker->level.clear();
    }
    level_bytes_ = std::max(level_bytes_, items * sizeof(Item));
    if (progress_) progress_({states(), items, depth_});
    return level;
  }

  void expand_level(Level& level) {
    next_batch_ = 0;
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < std::min(workers_.size(), level.size()); ++i)
        threads.emplace_back([this, i, &level] { work(*workers_[i], level); });
    } catch (const std::system_error&) {  // no more threads: the others do all the work
    }
    work(*workers_[0], level);
  }

  void work(Worker& worker, Level& level) {
    guarded([&] {
      for (std::size_t i = next_batch_++; i < level.size() && !ended_; i = next_batch_++) {
        const Batch& batch = level[i];
        for (std::size_t j = 0; j < batch.size() && !ended_; ++j) {
          worker.folder.prefetch(batch[std::min(j + 2, batch.size() - 1)].state);
          expand(worker, batch[j]);
        }
        if (ended_) return;
        arrive_all(worker);
        if (stop_ != nullptr && *stop_) give_up("interrupted");
        worker.spare.push_back(std::move(level[i]));
        worker.spare.back().clear();
      }
    });
  }

  void expand(Worker& worker, const Item& item) {
    System& system = worker.system;
    State state = system.state(worker.folder.unfold(item.state));
    system.steps(state, worker.steps);
    if (!target_)
      if (auto violation = system.judge(state, worker.steps))
        return found(worker, *violation, item.id, {});
    for (std::size_t i = 0; i < worker.steps.size(); ++i) {
      const Step& step = worker.steps[i];
      if (reduce_ && system.needless(item.note, step)) continue;
      Arrival& arrival = next_arrival(worker);
      typename System::StepResult taken;
      system.take(state, step, arrival.state, taken);
      ++worker.transitions;
      worker.seen |= taken.seen;
      if (taken.violation && !target_) return found(worker, *taken.violation, item.id, step);
      if (reduce_ && system.is_over(arrival.state)) continue;
      expect_arrival(worker, arrival, item.id, i, system.note(step, taken));
    }
  }

  Arrival& next_arrival(Worker& worker) {
    if (worker.next - worker.first == arrivals_max) arrive(worker);
    return worker.arrivals[worker.next % arrivals_max];
  }
  void expect_arrival(Worker& worker, Arrival& arrival, Id from, std::size_t step,
                      const typename System::Note& note) {
    arrival.folding = worker.folder.begin(arrival.state.words());
    arrival.from = from;
    arrival.step = step;
    arrival.note = note;
    ++worker.next;
    if (worker.next - worker.unfolded > unfolded_max) fold(worker);
  }
  /// Folds the first arrival that is not folded yet.
  void fold(Worker& worker) {
    Arrival& arrival = worker.arrivals[worker.unfolded++ % arrivals_max];
    arrival.folded = worker.folder.end(arrival.state.words(), arrival.folding);
    reached_->prefetch(arrival.folded);
  }
  void arrive_all(Worker& worker) {
    while (worker.unfolded < worker.next) fold(worker);
    while (worker.first < worker.next && !ended_) arrive(worker);
  }
  /// Looks up the oldest arrival, and records it if it is new.
  void arrive(Worker& worker) {
    const Arrival& arrival = worker.arrivals[worker.first++ % arrivals_max];
    if (!reached_->insert(arrival.folded)) return;
    Id id = record(worker, arrival);
    ++worker.states;
    if (target_) {
      if (arrival.folded == *target_) return found_now({}, id, {});
    } else {
      worker.seen |= worker.system.sights(arrival.state);
      if (auto violation = worker.system.judge(arrival.state)) return found_now(*violation, id, {});
    }
    if (worker.level.empty() || worker.level.back().size() == batch_max)
      worker.level.push_back(new_batch(worker));
    worker.level.back().push_back({arrival.folded, id, arrival.note});
  }

  Batch new_batch(Worker& worker) {
    Batch batch;
    if (!worker.spare.empty()) {
      batch = std::move(worker.spare.back());
      worker.spare.pop_back();
    } else {
      memory_.expect_room();
      batch.reserve(batch_max);
    }
    return batch;
  }

  /// Judges all earlier arrivals before it reports the violation.
  void found(Worker& worker, const oracle::Violation& violation, Id at, std::optional<Step> step) {
    arrive_all(worker);
    found_now(violation, at, step);
  }
  /// Keeps only the first violation: all that are found while one level is expanded are equally
  /// near. `step`, if given, leads on from state `at` and is not in any record.
  void found_now(const oracle::Violation& violation, Id at, std::optional<Step> step) {
    std::lock_guard lock(mutex_);
    if (violation_) return;
    violation_ = violation;
    found_at_ = at;
    found_by_ = step;
    ended_ = true;
  }

  Id record(Worker& worker, const Arrival& arrival) {
    if (worker.next_record % Records::count == 0) add_records(worker);
    if (arrival.step > 0xffff) throw std::length_error("a state with more than 2^16 steps");
    worker.records->parents[worker.next_record % Records::count] = arrival.from;
    worker.records->steps[worker.next_record % Records::count] =
        static_cast<std::uint16_t>(arrival.step);
    return worker.next_record++;
  }
  void add_records(Worker& worker) {
    memory_.expect_room();
    auto block = std::make_unique_for_overwrite<Records>();
    std::lock_guard lock(mutex_);
    if (records_.size() == record_blocks_max) throw std::length_error("more than 2^32 states");
    worker.records = block.get();
    worker.next_record = static_cast<Id>(records_.size() * Records::count);
    records_.push_back(std::move(block));
  }

  /// The steps from the initial state to the violation. Records have only their numbers, so the
  /// steps are taken once more.
  Way way() {
    std::vector<std::size_t> numbers;
    for (Id id = found_at_; id != none;) {
      const Records& records = *records_[id / Records::count];
      numbers.push_back(records.steps[id % Records::count]);
      id = records.parents[id % Records::count];
    }
    Way way;
    if (numbers.empty()) return way;
    System& system = workers_[0]->system;
    State state = system.initial();
    std::vector<Step> steps;
    for (std::size_t i = numbers.size() - 1; i > 0; --i) {
      system.steps(state, steps);
      way.push_back(steps[numbers[i - 1]]);
      typename System::StepResult taken;
      State next;
      system.take(state, way.back(), next, taken);
      state = next;
    }
    if (found_by_) way.push_back(*found_by_);
    return way;
  }

  MemoryBudget& memory_;
  const std::atomic<bool>* stop_;
  const ProgressSink& progress_;
  bool reduce_;
  std::unique_ptr<PartTable> parts_;
  std::unique_ptr<StateSet> reached_;
  std::vector<std::unique_ptr<Worker>> workers_;
  alignas(64) std::atomic<std::size_t> next_batch_ = 0;
  alignas(64) std::atomic<bool> ended_ = false;
  /// All runs of this many steps have been explored.
  std::uint32_t depth_ = 0;
  /// The size of the largest level.
  std::size_t level_bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Records>> records_;
  std::string incomplete_;
  /// A violation, the state in which it was found, and the step that is not in any record.
  std::optional<oracle::Violation> violation_;
  Id found_at_ = none;
  std::optional<Step> found_by_;
  /// The state that `way_to` looks for, instead of violations.
  std::optional<std::uint64_t> target_;
};

}  // namespace conch::check
