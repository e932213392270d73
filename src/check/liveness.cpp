#include "check/liveness.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>

#include "check/storage.hpp"

namespace conch::check {

namespace {

class Tarjan {
 public:
  Tarjan(Model& model, const Options& options) : options_(options), walker_(model, options) {}

  LivenessReport run() {
    try {
      push(walker_.initial());
      while (!path_.empty() && !report_.livelock && report_.incomplete.empty()) {
        advance();
        if (options_.stop != nullptr && *options_.stop) report_.incomplete = "interrupted";
      }
    } catch (const std::length_error& error) {
      give_up(error.what());
    } catch (const MemoryFull& full) {
      give_up(full.what());
    } catch (const std::bad_alloc&) {
      give_up("the system gives no more memory");
    }
    return report_;
  }

 private:
  /// Of a state; `index` counts them from 1.
  struct Number {
    Fingerprint print;
    std::uint32_t index : 30;
    std::uint32_t on_stack : 1;
    std::uint32_t self_loop : 1;
    std::uint32_t low;
    bool unused() const { return index == 0; }
    std::uint64_t hash() const { return print.high; }
  };
  struct Member {
    Fingerprint print;
    WordStore::Place place;
    bool is_member;
    /// Not met yet on the way round.
    bool is_new;
    bool unused() const { return !is_member; }
    std::uint64_t hash() const { return print.high; }
  };
  using Members = HashTable<Member>;
  /// A state on the way, and its steps: those from `first_step` up to those of the next one.
  struct Frame {
    Fingerprint print;
    WordStore::Place place;
    std::size_t first_step;
    std::size_t next_step;
  };

  void give_up(const char* why) {
    walker_.model().memory().lift();
    report_.incomplete = why;
  }

  Number& number_of(Fingerprint print) {
    return numbers_.find(print.high, [&](const Number& each) { return each.print == print; });
  }
  State state_at(WordStore::Place place) const {
    return State(options_.setting.nodes, stack_[place]);
  }

  void push(const State& state) {
    Fingerprint print = fingerprint(state.words());
    if (count_ == (1U << 30) - 1) throw std::length_error("more than 2^30 states");
    ++count_;
    numbers_.insert({print, count_, 1, 0, count_}, [](const Number&) { return false; });
    path_.push_back({print, stack_.add(state.words()), steps_.size(), steps_.size()});
    walker_.steps(state, of_state_);
    for (const Step& step : of_state_) steps_.push_back(step);
  }

  void advance() {
    Frame& frame = path_.back();
    if (frame.next_step == steps_.size()) return retreat();
    Taken taken;
    State next = walker_.take(state_at(frame.place), steps_[frame.next_step++], taken);
    if (taken.violation) return;
    Fingerprint print = fingerprint(next.words());
    const Number& seen = number_of(print);
    if (seen.unused()) return push(next);
    if (!seen.on_stack) return;
    Number& number = number_of(frame.print);
    number.low = std::min<std::uint32_t>(number.low, seen.index);
    if (print == frame.print) number.self_loop = 1;
  }

  void retreat() {
    Frame frame = path_.back();
    path_.pop_back();
    while (steps_.size() > frame.first_step) steps_.pop_back();
    Number number = number_of(frame.print);
    if (!path_.empty()) {
      Number& parent = number_of(path_.back().print);
      parent.low = std::min(parent.low, number.low);
    }
    if (number.low != number.index) return;
    std::size_t size = 0;
    for_component(frame.place, [&](WordStore::Place place) {
      number_of(fingerprint(stack_[place])).on_stack = 0;
      ++size;
    });
    if (size > 1 || number.self_loop != 0) judge(frame.place, size);
    stack_.cut(frame.place);
  }

  /// Its states are those on the stack from the first one on.
  template <class F>
  void for_component(WordStore::Place first, F&& f) {
    for (auto place = first; place != stack_.end(); place = stack_.next(place)) f(place);
  }

  bool elects() { return walker_.model().entry().can.elects; }

  bool somebody_waits(const State& state) {
    if (elects()) return walker_.anybody_takes_part(state);
    for (Node node = 0; node < state.nodes(); ++node) {
      Phase phase = state.local(node).phase();
      if (phase == Phase::waiting || phase == Phase::cancelling || phase == Phase::leaving ||
          phase == Phase::joining)
        return true;
    }
    return false;
  }

  /// What is in flight in every state of the component.
  std::set<std::uint32_t> always_in_flight(WordStore::Place first) {
    std::set<std::uint32_t> always;
    State of_first = state_at(first);
    for (std::uint32_t i = 0; i < of_first.packets(); ++i) always.insert(of_first.packet(i).word);
    for_component(first, [&](WordStore::Place place) {
      State state = state_at(place);
      std::set<std::uint32_t> here;
      for (std::uint32_t i = 0; i < state.packets(); ++i) here.insert(state.packet(i).word);
      std::erase_if(always, [&](std::uint32_t word) { return !here.contains(word); });
    });
    return always;
  }

  static Member& find(Members& members, Fingerprint print) {
    return members.find(print.high, [&](const Member& each) { return each.print == print; });
  }

  void judge(WordStore::Place first, std::size_t size) {
    if (!somebody_waits(state_at(first))) return;
    Members members(walker_.model().memory());
    for_component(first, [&](WordStore::Place place) {
      members.insert({fingerprint(stack_[place]), place, true, true},
                     [](const Member&) { return false; });
    });
    std::set<std::uint32_t> undelivered = always_in_flight(first);
    bool holder_stays = true;
    std::uint32_t noticing = elects() ? ~0U : 0;
    for_component(first, [&](WordStore::Place place) {
      State state = state_at(place);
      bool inside = false;
      for (Node node = 0; node < state.nodes(); ++node)
        inside |= state.local(node).phase() == Phase::inside;
      holder_stays &= inside;
      noticing &= walker_.noticing(state);
      walker_.steps(state, of_state_);
      for (const Step& step : of_state_) {
        Taken taken;
        State next = walker_.take(state, step, taken);
        bool stays = !find(members, fingerprint(next.words())).unused();
        if (step.kind == StepKind::deliver && stays) undelivered.erase(step.packet.word);
      }
    });
    // A holder inside all the way round would leave; a message in flight all the way would arrive;
    // a crash that can be noticed all the way would be.
    if (holder_stays || !undelivered.empty() || noticing != 0) {
      ++report_.unfair_cycles;
      return;
    }
    report_.livelock = Livelock{fingerprint(stack_[first]), cycle_in(first, members), way(),
                                "livelock: messages flow in a cycle of " + std::to_string(size) +
                                    (elects() ? " states, and the election does not end"
                                              : " states, somebody waits and nobody ever enters")};
  }

  /// The steps that were taken to where the search is.
  std::vector<Step> way() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < path_.size(); ++i) steps.push_back(steps_[path_[i].next_step - 1]);
    return steps;
  }

  /// The shortest way from a state round to itself, within its component.
  std::vector<Step> cycle_in(WordStore::Place from, Members& members) {
    struct Reached {
      WordStore::Place place;
      std::size_t parent;
      Step step;
    };
    Fingerprint home = fingerprint(stack_[from]);
    Blocks<Reached> queue(walker_.model().memory());
    queue.push_back({from, 0, {}});
    for (std::size_t i = 0; i < queue.size(); ++i) {
      State state = state_at(queue[i].place);
      walker_.steps(state, of_state_);
      for (const Step& step : of_state_) {
        Taken taken;
        Fingerprint print = fingerprint(walker_.take(state, step, taken).words());
        Member& member = find(members, print);
        if (member.unused() || !std::exchange(member.is_new, false)) continue;
        queue.push_back({member.place, i, step});
        if (print != home) continue;
        std::vector<Step> cycle;
        for (std::size_t at = queue.size() - 1; at > 0; at = queue[at].parent)
          cycle.push_back(queue[at].step);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
    }
    invariant_broken("cycle_in", "a component leads back to each of its states");
  }

  const Options& options_;
  Walker walker_;
  std::uint32_t count_ = 0;
  HashTable<Number> numbers_{walker_.model().memory()};
  WordStore stack_{walker_.model().memory()};
  Blocks<Frame> path_{walker_.model().memory()};
  Blocks<Step> steps_{walker_.model().memory()};
  /// The steps of the state being expanded.
  std::vector<Step> of_state_;
  LivenessReport report_;
};

}  // namespace

LivenessReport find_livelock(Model& model, const Options& options) {
  return Tarjan(model, options).run();
}

}  // namespace conch::check
