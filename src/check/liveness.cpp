#include "check/liveness.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace conch::check {

namespace {

struct FingerprintHash {
  std::size_t operator()(const Fingerprint& print) const { return print.high; }
};

class Tarjan {
 public:
  Tarjan(Model& model, const Options& options) : options_(options), walker_(model, options) {}

  LivenessReport run() {
    push(walker_.initial());
    while (!path_.empty() && !report_.livelock) {
      advance();
      bool stopped = options_.stop != nullptr && *options_.stop;
      if (stopped || numbers_.size() * 64 > options_.bytes_max) {
        report_.complete = false;
        break;
      }
    }
    return report_;
  }

 private:
  struct Number {
    std::uint32_t index = 0;
    std::uint32_t low = 0;
    bool on_stack = false;
  };
  struct Frame {
    State state;
    Fingerprint print;
    std::vector<Step> steps;
    std::size_t next = 0;
    /// Where its component begins on the stack.
    std::size_t stack_base = 0;
  };

  void push(State state) {
    Fingerprint print = fingerprint(state.words());
    std::uint32_t index = ++count_;
    numbers_[print] = {index, index, true};
    stack_.push_back(state);
    Frame frame{state, print, {}, 0, stack_.size() - 1};
    walker_.steps(state, frame.steps);
    path_.push_back(std::move(frame));
  }

  void advance() {
    Frame& frame = path_.back();
    if (frame.next == frame.steps.size()) return retreat();
    Taken taken;
    State next = walker_.take(frame.state, frame.steps[frame.next++], taken);
    if (taken.violation) return;
    Fingerprint print = fingerprint(next.words());
    auto seen = numbers_.find(print);
    if (seen == numbers_.end()) return push(next);
    if (!seen->second.on_stack) return;
    Number& number = numbers_[frame.print];
    number.low = std::min(number.low, seen->second.index);
    if (print == frame.print) self_loops_.insert(number.index);
  }

  void retreat() {
    Frame frame = std::move(path_.back());
    path_.pop_back();
    Number number = numbers_[frame.print];
    if (!path_.empty()) {
      Number& parent = numbers_[path_.back().print];
      parent.low = std::min(parent.low, number.low);
    }
    if (number.low != number.index) return;
    std::vector<State> component(stack_.begin() + static_cast<std::ptrdiff_t>(frame.stack_base),
                                 stack_.end());
    stack_.resize(frame.stack_base);
    for (const State& state : component) numbers_[fingerprint(state.words())].on_stack = false;
    if (component.size() > 1 || self_loops_.contains(number.index)) judge(component);
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
  static std::set<std::uint32_t> always_in_flight(const std::vector<State>& component) {
    std::set<std::uint32_t> always;
    for (std::uint32_t i = 0; i < component[0].packets(); ++i)
      always.insert(component[0].packet(i).word);
    for (const State& state : component) {
      std::set<std::uint32_t> here;
      for (std::uint32_t i = 0; i < state.packets(); ++i) here.insert(state.packet(i).word);
      std::erase_if(always, [&](std::uint32_t word) { return !here.contains(word); });
    }
    return always;
  }

  void judge(const std::vector<State>& component) {
    if (!somebody_waits(component[0])) return;
    std::unordered_map<Fingerprint, const State*, FingerprintHash> members;
    for (const State& state : component) members[fingerprint(state.words())] = &state;
    std::set<std::uint32_t> undelivered = always_in_flight(component);
    bool holder_stays = true;
    std::vector<Step> steps;
    for (const State& state : component) {
      bool inside = false;
      for (Node node = 0; node < state.nodes(); ++node)
        inside |= state.local(node).phase() == Phase::inside;
      holder_stays &= inside;
      walker_.steps(state, steps);
      for (const Step& step : steps) {
        Taken taken;
        State next = walker_.take(state, step, taken);
        bool stays = members.contains(fingerprint(next.words()));
        if (step.kind == StepKind::deliver && stays) undelivered.erase(step.packet.word);
      }
    }
    std::uint32_t noticing = elects() ? ~0U : 0;
    for (const State& state : component) noticing &= walker_.noticing(state);
    // A holder inside all the way round would leave; a message in flight all the way would arrive;
    // a crash that can be noticed all the way would be.
    if (holder_stays || !undelivered.empty() || noticing != 0) {
      ++report_.unfair_cycles;
      return;
    }
    report_.livelock =
        Livelock{fingerprint(component[0].words()), cycle_in(component[0], members),
                 "livelock: messages flow in a cycle of " + std::to_string(component.size()) +
                     (elects() ? " states, and the election does not end"
                               : " states, somebody waits and nobody ever enters")};
  }

  /// The shortest way from a state round to itself, within its component.
  template <class Members>
  std::vector<Step> cycle_in(const State& from, const Members& members) {
    struct Reached {
      Fingerprint parent;
      Step step;
    };
    std::unordered_map<Fingerprint, Reached, FingerprintHash> reached;
    std::vector<Fingerprint> queue{fingerprint(from.words())};
    Fingerprint home = queue[0];
    std::vector<Step> steps;
    for (std::size_t i = 0; i < queue.size() && !reached.contains(home); ++i) {
      const State& state = *members.at(queue[i]);
      walker_.steps(state, steps);
      for (const Step& step : steps) {
        Taken taken;
        Fingerprint print = fingerprint(walker_.take(state, step, taken).words());
        if (!members.contains(print) || !reached.try_emplace(print, Reached{queue[i], step}).second)
          continue;
        queue.push_back(print);
      }
    }
    std::vector<Step> cycle;
    Fingerprint at = home;
    do {
      const Reached& how = reached.at(at);
      cycle.push_back(how.step);
      at = how.parent;
    } while (at != home);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  const Options& options_;
  Walker walker_;
  std::uint32_t count_ = 0;
  std::unordered_map<Fingerprint, Number, FingerprintHash> numbers_;
  std::set<std::uint32_t> self_loops_;
  std::vector<State> stack_;
  std::vector<Frame> path_;
  LivenessReport report_;
};

}  // namespace

LivenessReport find_livelock(Model& model, const Options& options) {
  return Tarjan(model, options).run();
}

}  // namespace conch::check
