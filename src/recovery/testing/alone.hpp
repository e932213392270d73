// A group member by itself, for tests that play its register.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "mutex/naimi_trehel.hpp"
#include "recovery/algorithm_of.hpp"
#include "recovery/leased_member.hpp"
#include "recovery/specimens.hpp"

namespace conch::recovery::testing {

inline constexpr LeaseTerms terms{std::chrono::seconds(1), 0};

/// One peer, whose register the test plays.
class Alone {
 public:
  explicit Alone(Rule without = Rule::none)
      : Alone(Charter{"naimi-trehel", &algorithm_of<NaimiTrehel>(), {}, policy_without(without)}) {}
  explicit Alone(Charter charter)
      : group_member_({NodeId{1}, Incarnation{1}}, std::move(charter), terms) {}

  /// Makes a call at this time, and keeps the questions, messages and events that it causes.
  template <class Call>
  void at(Duration time, Call&& call) {
    ReadableEffects out{Time(time)};
    call(group_member_, out);
    asks = std::move(out.asks);
    sends = std::move(out.sends);
    events = std::move(out.events);
  }
  void start(Duration time) {
    at(time, [](auto& peer, auto& out) { peer.start(out); });
  }
  void tick(Duration time) {
    at(time, [](auto& peer, auto& out) { peer.tick(out); });
  }
  void request(Duration time) {
    at(time, [](auto& peer, auto& out) { peer.request("a", {}, out); });
  }
  void release(Duration time) {
    at(time, [](auto& peer, auto& out) { peer.release("a", {}, out); });
  }
  /// The register answers the last question.
  void answer(Duration time, bool yes) {
    RegisterRequest asked = asks.back();
    if (const auto* propose = std::get_if<Propose>(&asked.question); propose && yes)
      snapshot.view = propose->view;
    at(time, [&](auto& peer, auto& out) {
      peer.answered({asked.number, yes, snapshot, waiting}, out);
    });
  }
  /// Joins the group at `time`.
  void come_in(Duration time) {
    start(time);
    answer(time, false);
    answer(time, true);
    answer(time, true);
  }
  template <class Q>
  bool asks_for() const {
    return std::any_of(asks.begin(), asks.end(), [](const RegisterRequest& ask) {
      return std::holds_alternative<Q>(ask.question);
    });
  }
  template <class E>
  bool is_told() const {
    return std::any_of(events.begin(), events.end(),
                       [](const MemberEvent& event) { return std::holds_alternative<E>(event); });
  }
  ViewStage stage() const { return group_member_.stage(); }
  Time wakes() const { return group_member_.wakes(); }

  RegisterSnapshot snapshot;
  Waiting waiting;
  std::vector<RegisterRequest> asks;
  std::vector<ReadableEffects::Send> sends;
  std::vector<MemberEvent> events;

 private:
  LeasedMember group_member_;
};

}  // namespace conch::recovery::testing
