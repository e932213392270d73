// What the search requires of a system: its states, the steps that each allows, and where they
// lead.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check/state_folder.hpp"
#include "oracle/oracles.hpp"

namespace conch::check {

/// One thread's view of the system that all threads explore. It is built from a shared model and
/// from options, and gives the same answers in every thread.
///
/// A `State` is a sequence of words, which `cut` divides into two parts. `StepResult` is what a
/// step did besides leading to the next state: a violation, and the situations of interest that
/// were seen, as a set of bits.
template <class S>
concept TransitionSystem = requires(S system, const typename S::State& state,
                                    typename S::State& next, const typename S::Step& step,
                                    std::vector<typename S::Step>& steps,
                                    typename S::StepResult& taken, const typename S::Note& note,
                                    std::span<const std::uint32_t> words) {
  { system.cut() } -> std::same_as<Cut>;
  { system.state(words) } -> std::same_as<typename S::State>;
  { system.initial() } -> std::same_as<typename S::State>;
  /// Lists the steps of a state, always in the same order, as a search records them by index.
  system.steps(state, steps);
  system.take(state, step, next, taken);

  /// `note` keeps what `needless` has to know of the step that first reached a state. Without the
  /// needless steps every state is still reached, and none later.
  { system.note(step, taken) } -> std::same_as<typename S::Note>;
  { system.needless(note, step) } -> std::same_as<bool>;
  /// Whether no violation can follow from a state any more; the search drops such states.
  { system.is_over(state) } -> std::same_as<bool>;

  /// The violation in a state that is reached for the first time, and what is of interest in it.
  { system.judge(state) } -> std::same_as<std::optional<oracle::Violation>>;
  { system.sights(state) } -> std::same_as<std::uint32_t>;
  /// The violation in a state that allows exactly these steps, such as a deadlock.
  { system.judge(state, steps) } -> std::same_as<std::optional<oracle::Violation>>;
};

/// A system whose cycles can be searched for livelocks.
template <class S>
concept RecurrentSystem = TransitionSystem<S> &&
    requires(S system, const typename S::State& state, const typename S::Step& step,
             std::vector<std::uint32_t>& duties) {
  /// A value that is the same for all states of a cycle.
  { system.generation(state) } -> std::same_as<std::uint64_t>;
  /// Whether the step can be part of a cycle.
  { system.may_recur(step) } -> std::same_as<bool>;
  /// Whether a node waits in this state: it is stuck if a cycle of such states goes on for ever.
  { system.somebody_waits(state) } -> std::same_as<bool>;
  /// The duties of weak fairness: what stays possible from some time on must be done sooner or
  /// later. `duty_of` is the duty that a step does.
  system.duties(state, duties);
  { system.duty_of(step) } -> std::same_as<std::optional<std::uint32_t>>;
};

}  // namespace conch::check
