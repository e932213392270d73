// Searches for livelocks: cycles of steps that can go on for ever while a node waits and never gets
// what it waits for.
#pragma once

#include <array>
#include <set>

#include "check/search.hpp"

namespace conch::check {

/// Looks for cycles among the states that a search has reached (Tarjan 1972), and consumes these
/// states. A cycle is a livelock if a node waits in it and it is weakly fair: no duty is possible
/// in all of its states and done by none of its steps.
///
/// All states of a cycle have the same generation. So each generation can be searched by itself, by
/// any thread that is free, with a table for these states alone.
template <RecurrentSystem System>
class CycleSearch {
 public:
  using State = typename System::State;
  using Step = typename System::Step;

  struct Livelock {
    /// A state of the cycle, the number of states in its component, and steps that lead from this
    /// state back to it.
    std::uint64_t state = 0;
    std::size_t states = 0;
    std::vector<Step> cycle;
  };
  struct Found {
    std::optional<Livelock> livelock;
    /// Why the search for cycles ended early; empty if it did not.
    std::string incomplete;
  };

  template <class Model, class Options>
  CycleSearch(Model& model, const Options& options, Search<System>& search)
      : memory_(model.memory()), stop_(options.stop), reached_(search.reached()) {
    for (unsigned i = 0; i < options.threads; ++i)
      workers_.push_back(std::make_unique<Worker>(memory_, System(model, options), search.parts()));
  }

  Found run() {
    on_all([&](Worker& worker) { sort(worker); });
    next_ = 0;
    if (!ended_) on_all([&](Worker& worker) { look_through(worker); });
    return found_;
  }

 private:
  /// The generations are distributed over this many heaps.
  static constexpr std::size_t heap_count = 256;

  /// A state of the heap that is being searched. `index` is its position in the order in which
  /// states were reached, from 1; 0 if it was not reached yet.
  struct Vertex {
    std::uint64_t state;
    std::uint32_t index : 30;
    std::uint32_t on_stack : 1;
    std::uint32_t loops : 1;
    std::uint32_t low;
    bool unused() const { return state == 0; }
    std::uint64_t hash() const { return mixed(state); }
  };
  using Vertices = HashTable<Vertex, OwnHash>;
  /// A state on the current path. Its successors begin at `first` and end where those of the next
  /// frame begin; `next` is the first one that was not looked at yet.
  struct Frame {
    Vertex* node;
    std::size_t first;
    std::size_t next;
  };

  struct alignas(64) Worker {
    Worker(MemoryBudget& memory, System made, PartTable& parts)
        : system(std::move(made)),
          folder(parts, system.cut()),
          way(memory),
          successors(memory),
          stack(memory) {
      for (std::size_t i = 0; i < heap_count; ++i)
        heaps.push_back(std::make_unique<Blocks<std::uint64_t>>(memory));
    }
    System system;
    StateFolder folder;
    /// The states to search, sorted by generation.
    std::vector<std::unique_ptr<Blocks<std::uint64_t>>> heaps;
    std::vector<Step> steps;
    State next;
    // The state of the search through the current heap.
    std::uint32_t reached = 0;
    Blocks<Frame> way;
    Blocks<Vertex*> successors;
    Blocks<Vertex*> stack;
  };

  template <class F>
  void on_all(F&& f) {
    auto guarded = [&](Worker& worker) {
      if (std::string why = why_not(memory_, [&] { f(worker); }); !why.empty()) give_up(why);
    };
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < workers_.size(); ++i)
        threads.emplace_back([&, i] { guarded(*workers_[i]); });
    } catch (const std::system_error&) {  // no more threads: the others do all the work
    }
    guarded(*workers_[0]);
  }
  void give_up(const std::string& why) {
    std::lock_guard lock(mutex_);
    if (!found_.livelock) found_.incomplete = why;
    ended_ = true;
  }
  bool ended() {
    if (stop_ != nullptr && *stop_ && !ended_) give_up("interrupted");
    return ended_;
  }

  /// Sorts the states by generation, and frees each shard of the set when it is done.
  void sort(Worker& worker) {
    for (std::size_t i = next_++; i < StateSet::shard_count && !ended(); i = next_++)
      reached_.drain(i, [&](std::uint64_t folded) {
        State state = worker.system.state(worker.folder.unfold(folded));
        worker.heaps[worker.system.generation(state) % heap_count]->push_back(folded);
      });
  }

  void look_through(Worker& worker) {
    for (std::size_t i = next_++; i < heap_count && !ended(); i = next_++) {
      Vertices nodes = nodes_of(i);
      worker.reached = 0;
      for (Vertex& node : nodes.entries())
        if (!node.unused() && node.index == 0) look_from(worker, nodes, node);
    }
  }
  Vertices nodes_of(std::size_t heap) {
    Vertices nodes(memory_);
    for (const auto& each : workers_) {
      Blocks<std::uint64_t>& states = *each->heaps[heap];
      if (nodes.size() + states.size() >= 1U << 30)
        throw std::length_error("more than 2^30 states of one kind");
      for (; !states.empty(); states.pop_back()) {
        Vertex node{states.back(), 0, 0, 0, 0};
        nodes.insert(
            node.hash(), [](const Vertex&) { return false; }, [&] { return node; });
      }
    }
    return nodes;
  }
  static Vertex& find(Vertices& nodes, std::uint64_t state) {
    return nodes.find(mixed(state), [&](const Vertex& each) { return each.state == state; });
  }

  void look_from(Worker& worker, Vertices& nodes, Vertex& start) {
    push(worker, nodes, start);
    for (std::uint32_t rounds = 0; !worker.way.empty(); ++rounds) {
      if (rounds % 1024 == 0 && ended()) return;
      Frame& frame = worker.way.back();
      if (frame.next == worker.successors.size()) {
        retreat(worker);
        continue;
      }
      Vertex& node = *frame.node;
      Vertex& successor = *worker.successors[frame.next++];
      if (successor.index == 0) {
        push(worker, nodes, successor);
      } else if (successor.on_stack != 0) {
        node.low = std::min<std::uint32_t>(node.low, successor.index);
        if (&successor == &node) node.loops = 1;
      }
    }
  }

  /// Calls f(step, next) for every step that may be part of a cycle and violates nothing.
  template <class F>
  void for_steps(Worker& worker, const State& state, F&& f) {
    System& system = worker.system;
    system.steps(state, worker.steps);
    for (const Step& step : worker.steps) {
      if (!system.may_recur(step)) continue;
      typename System::StepResult taken;
      system.take(state, step, worker.next, taken);
      if (!taken.violation) f(step, worker.folder.fold(worker.next.words()));
    }
  }

  void push(Worker& worker, Vertices& nodes, Vertex& node) {
    node.index = node.low = ++worker.reached;
    node.on_stack = 1;
    worker.stack.push_back(&node);
    worker.way.push_back({&node, worker.successors.size(), worker.successors.size()});
    State state = worker.system.state(worker.folder.unfold(node.state));
    for_steps(worker, state, [&](const Step&, std::uint64_t next) {
      if (Vertex& successor = find(nodes, next); !successor.unused())
        worker.successors.push_back(&successor);
    });
  }

  void retreat(Worker& worker) {
    Frame frame = worker.way.back();
    worker.way.pop_back();
    while (worker.successors.size() > frame.first) worker.successors.pop_back();
    Vertex& node = *frame.node;
    if (!worker.way.empty()) {
      Vertex& parent = *worker.way.back().node;
      parent.low = std::min(parent.low, node.low);
    }
    if (node.low != node.index) return;
    std::vector<std::uint64_t> component;
    do {
      worker.stack.back()->on_stack = 0;
      component.push_back(worker.stack.back()->state);
      worker.stack.pop_back();
    } while (component.back() != node.state);
    if (component.size() > 1 || node.loops != 0) judge(worker, component);
  }

  void judge(Worker& worker, const std::vector<std::uint64_t>& component) {
    System& system = worker.system;
    if (!system.somebody_waits(system.state(worker.folder.unfold(component.back())))) return;
    if (!undone(worker, component).empty()) return;
    std::uint64_t first = component.back();
    Livelock livelock{first, component.size(), cycle_from(worker, first, component)};
    std::lock_guard lock(mutex_);
    if (!ended_) found_.livelock = livelock;
    ended_ = true;
  }

  /// The duties that are possible in every state of the component and done by no step within it.
  std::set<std::uint32_t> undone(Worker& worker, const std::vector<std::uint64_t>& component) {
    System& system = worker.system;
    std::set<std::uint64_t> members(component.begin(), component.end());
    std::set<std::uint32_t> undone, done;
    std::vector<std::uint32_t> duties;
    for (std::uint64_t folded : component) {
      State state = system.state(worker.folder.unfold(folded));
      system.duties(state, duties);
      std::set<std::uint32_t> here(duties.begin(), duties.end());
      if (folded == component.front()) undone = here;
      std::erase_if(undone, [&](std::uint32_t duty) { return !here.contains(duty); });
      for_steps(worker, state, [&](const Step& step, std::uint64_t next) {
        if (auto duty = system.duty_of(step); duty && members.contains(next)) done.insert(*duty);
      });
    }
    std::erase_if(undone, [&](std::uint32_t duty) { return done.contains(duty); });
    return undone;
  }

  /// The shortest way from a state back to itself within its component.
  std::vector<Step> cycle_from(Worker& worker, std::uint64_t home,
                               const std::vector<std::uint64_t>& component) {
    struct Reached {
      std::uint64_t state;
      std::size_t parent;
      Step step;
    };
    std::set<std::uint64_t> unreached(component.begin(), component.end());
    std::vector<Reached> queue{{home, 0, {}}};
    for (std::size_t i = 0; queue.back().state != home || i == 0; ++i) {
      State state = worker.system.state(worker.folder.unfold(queue[i].state));
      for_steps(worker, state, [&](const Step& step, std::uint64_t next) {
        bool is_round = queue.size() > 1 && queue.back().state == home;
        if (!is_round && unreached.erase(next) != 0) queue.push_back({next, i, step});
      });
    }
    std::vector<Step> cycle;
    for (std::size_t at = queue.size() - 1; at > 0; at = queue[at].parent)
      cycle.push_back(queue[at].step);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  MemoryBudget& memory_;
  const std::atomic<bool>* stop_;
  StateSet& reached_;
  std::vector<std::unique_ptr<Worker>> workers_;
  alignas(64) std::atomic<std::size_t> next_ = 0;
  alignas(64) std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  Found found_;
};

}  // namespace conch::check
