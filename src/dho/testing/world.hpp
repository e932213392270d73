// A world of handles for tests: lock managers that take their time, and data transfers that succeed
// or fail. The test decides what happens next.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/print.hpp"
#include "core/testing/dice.hpp"
#include "dho/handle.hpp"
#include "dho/testing/locks.hpp"

namespace conch::dho::testing {

/// Counts what happened: a test passes only if everything that it checks has happened.
struct Tally {
  std::size_t locks = 0, transfers = 0, useless = 0, failures = 0, timeouts = 0, departures = 0,
              returns = 0;
  CONCH_FIELDS(Tally, locks, transfers, useless, failures, timeouts, departures, returns)
};

template <class H, class LockManager>
class World {
 public:
  World(const Members& nodes, const HandleOptions& options) : nodes_(nodes), lock_manager_(nodes) {
    for (NodeId node : nodes) handles_.emplace(node, H(options));
  }

  H& at(NodeId node) { return handles_.at(node); }
  const Members& nodes() const { return nodes_; }
  const std::string& failure() const { return failure_; }
  const Tally& tally() const { return tally_; }

  // Calls of a node's application.

  void create(NodeId node) {
    bool departing = at(node).state() == State::invalid && !at(node).gone();
    begin(node, creating_, [](H& handle, Orders& out) { return handle.create("data", out); });
    if (departing && creating_.contains(node)) ++tally_.returns;
  }
  void request(NodeId node, Mode mode) {
    call(node, [&](H& handle, Orders& out) {
      if (handle.request(mode, out) == CallStatus::ok) modes_[node] = mode;
    });
  }
  void acquire(NodeId node) {
    begin(node, acquiring_, [](H& handle, Orders& out) { return handle.acquire(out); });
  }
  void acquire(NodeId node, Duration patience) {
    begin(node, acquiring_, [&](H& handle, Orders& out) { return handle.acquire(patience, out); });
  }
  void release(NodeId node) {
    write(node);
    call(node, [](H& handle, Orders& out) { handle.release(out); });
  }
  void cancel(NodeId node) {
    call(node, [](H& handle, Orders& out) { handle.cancel(out); });
  }
  void destroy(NodeId node) {
    write(node);
    call(node, [](H& handle, Orders& out) { handle.destroy(out); });
  }
  void resize(NodeId node, std::uint64_t size) { at(node).resize(size); }

  // Other steps. They return false if no such step is possible.

  /// Ends a transfer. Some fail, and some end when nobody wants the data any more.
  bool bring_one(Dice& dice) {
    if (bringing_.empty()) return false;
    auto chosen = bringing_.begin() + static_cast<std::ptrdiff_t>(dice.below(bringing_.size()));
    NodeId node = *chosen;
    bringing_.erase(chosen);
    ++(at(node).is_bringing() ? tally_.transfers : tally_.useless);
    CallStatus status = dice.percent(90) ? CallStatus::ok : CallStatus::peer_lost;
    call(node, [&](H& handle, Orders& out) { handle.brought(status, out); });
    return true;
  }
  bool step_lock(Dice& dice) {
    bool stepped = lock_manager_.step(dice);
    pass_on();
    return stepped;
  }
  bool pass_deadline(Dice& dice) {
    if (armed_.empty()) return false;
    auto chosen = armed_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(dice.below(armed_.size())));
    NodeId node = *chosen;
    armed_.erase(chosen);
    call(node, [](H& handle, Orders& out) { handle.deadline(out); });
    return true;
  }

  /// Call it when nothing can happen unless an application calls: then no call may be waiting
  /// unless a lock is held.
  void check_still() {
    if (anybody_holds()) return;
    if (!creating_.empty()) fail("a create never ends");
    if (!acquiring_.empty()) fail("an acquire never ends");
    for (const auto& [node, handle] : handles_)
      if (handle.state() == State::invalid && !handle.gone()) fail("a destroy never ends");
  }
  void fail(std::string what) {
    if (failure_.empty()) failure_ = std::move(what);
  }
  std::string states() const {
    std::string text;
    for (const auto& [node, handle] : handles_) text += "  " + print_fields<Handle>(handle) + "\n";
    return text;
  }

 private:
  template <class Call>
  void begin(NodeId node, std::set<NodeId>& waiting, Call&& run) {
    call(node, [&](H& handle, Orders& out) {
      if (run(handle, out) == CallStatus::waiting) waiting.insert(node);
    });
  }

  template <class Call>
  void call(NodeId node, Call&& run) {
    Orders out;
    State before = at(node).state();
    run(at(node), out);
    for (const Order& order : out) carry_out(node, order);
    if (before != State::locked && at(node).state() == State::locked) check_locked(node);
    pass_on();
  }

  void pass_on() {
    for (auto& [node, effect] : lock_manager_.take_due()) {
      tally_.departures += std::holds_alternative<Left>(effect);
      call(node, [&, &said = effect, at = node](H& handle, Orders& out) {
        if (const auto* entered = std::get_if<Entered>(&said)) {
          data_[at] = entered->baton.data;
          handle.entered(entered->baton, out);
        }
        if (std::holds_alternative<Withdrawn>(said)) handle.withdrawn(out);
        if (std::holds_alternative<Joined>(said)) handle.joined(out);
        if (std::holds_alternative<Left>(said)) handle.left(out);
      });
    }
  }

  void carry_out(NodeId node, const Order& order) {
    if (std::holds_alternative<Bring>(order)) bringing_.push_back(node);
    if (std::holds_alternative<Arm>(order)) armed_.insert(node);
    if (std::holds_alternative<Disarm>(order)) armed_.erase(node);
    if (std::holds_alternative<Created>(order)) end(creating_, node);
    if (std::holds_alternative<CreateFailed>(order)) end(creating_, node);
    if (std::holds_alternative<Acquired>(order)) end(acquiring_, node);
    if (const auto* failed = std::get_if<AcquireFailed>(&order)) {
      end(acquiring_, node);
      ++tally_.failures;
      tally_.timeouts += failed->status == CallStatus::timed_out;
    }
    std::string wrong = lock_manager_.carry_out(node, order, data_[node]);
    if (!wrong.empty()) fail(wrong);
  }
  void end(std::set<NodeId>& waiting, NodeId node) {
    if (waiting.erase(node) == 0) fail("a call ends that nobody waits for: " + print(node));
  }

  void check_locked(NodeId node) {
    ++tally_.locks;
    for (const auto& [other, handle] : handles_) {
      bool both = other != node && handle.state() == State::locked;
      if (both && (modes_.at(node) == Mode::write || modes_.at(other) == Mode::write))
        fail("two have locked what only one may: " + print(node) + " and " + print(other));
    }
  }

  /// Leaves a new version, if the node holds the lock to write.
  void write(NodeId node) {
    const H& handle = at(node);
    if (handle.state() != State::locked || modes_.at(node) == Mode::read) return;
    data_[node] = {handle.fence()->number(), handle.size(), node};
  }
  bool anybody_holds() const {
    return std::any_of(handles_.begin(), handles_.end(), [](const auto& each) {
      State state = each.second.state();
      return state == State::locked || state == State::grant || state == State::fetch;
    });
  }

  Members nodes_;
  LockManager lock_manager_;
  std::map<NodeId, H> handles_;
  std::map<NodeId, Mode> modes_;
  /// The data as the lock brought them, or as the node left them.
  std::map<NodeId, DataRef> data_;
  std::vector<NodeId> bringing_;
  std::set<NodeId> armed_;
  std::set<NodeId> creating_;
  std::set<NodeId> acquiring_;
  std::string failure_;
  Tally tally_;
};

/// Makes random calls in any order, then calms down: every holder releases, and every node leaves.
template <class H, class LockManager>
class RandomLives {
 public:
  RandomLives(std::uint64_t seed, std::size_t nodes)
      : seed_(seed),
        dice_(seed),
        calls_(40 * nodes),
        call_chance_(10 + dice_.below(60)),
        destroy_chance_(dice_.below(30)),
        cancel_chance_(dice_.below(40)),
        world_(Members::first(nodes), HandleOptions{dice_.percent(50)}) {}

  /// Returns what went wrong, with the seed that repeats it; empty if nothing did.
  std::string run() {
    std::size_t patience = 100'000;
    while (world_.failure().empty()) {
      if (patience-- == 0) return report("it does not come to an end");
      bool calls = calls_ > 0 && dice_.percent(call_chance_);
      if (calls) {
        --calls_;
        call(dice_.one_of(world_.nodes().nodes()));
      } else if (!happen()) {
        world_.check_still();
        if (calls_ == 0 && !calm_down()) break;
      }
    }
    return world_.failure().empty() ? "" : report(world_.failure());
  }
  const Tally& tally() const { return world_.tally(); }

 private:
  /// Takes one step that needs no call; false if none is possible.
  bool happen() {
    std::size_t first = dice_.below(3);
    for (std::size_t i = first; i < first + 3; ++i)
      if (happen(i % 3)) return true;
    return false;
  }
  bool happen(std::size_t what) {
    switch (what) {
      case 0: return world_.bring_one(dice_);
      case 1: return world_.step_lock(dice_);
      default: return world_.pass_deadline(dice_);
    }
  }

  void call(NodeId node) {
    if (dice_.percent(destroy_chance_)) return world_.destroy(node);
    if (dice_.percent(cancel_chance_))
      return dice_.percent(50) ? world_.cancel(node) : world_.release(node);
    switch (dice_.below(8)) {
      case 0: return world_.create(node);
      case 1: return world_.acquire(node, Duration(dice_.below(2)));
      case 2: return world_.acquire(node);
      case 3: return world_.request(node, mode());
      case 4: return world_.resize(node, dice_.below(9));
      default: return go_on(node);
    }
  }
  /// Makes the call that an orderly application makes next.
  void go_on(NodeId node) {
    switch (world_.at(node).state()) {
      case State::invalid:
      case State::lost: return world_.create(node);
      case State::valid:
      case State::unlock: return world_.request(node, mode());
      case State::req:
      case State::grant:
      case State::fetch:
      case State::blocked: return world_.acquire(node);
      case State::locked:
        if (dice_.percent(50)) world_.resize(node, 1 + dice_.below(8));
        return world_.release(node);
    }
  }
  Mode mode() { return dice_.percent(50) || !LockManager::is_shared ? Mode::write : Mode::read; }

  /// Makes one holder release or one member leave; false if nobody is left.
  bool calm_down() {
    for (NodeId node : world_.nodes()) {
      State state = world_.at(node).state();
      if (state == State::grant || state == State::locked) return world_.release(node), true;
    }
    for (NodeId node : world_.nodes()) {
      State state = world_.at(node).state();
      if (state != State::invalid && state != State::lost) return world_.destroy(node), true;
    }
    return false;
  }

  std::string report(const std::string& what) const {
    return "seed " + std::to_string(seed_) + ": " + what + "\n" + world_.states();
  }

  std::uint64_t seed_;
  Dice dice_;
  std::size_t calls_;
  std::size_t call_chance_;
  std::size_t destroy_chance_;
  std::size_t cancel_chance_;
  World<H, LockManager> world_;
};

}  // namespace conch::dho::testing
