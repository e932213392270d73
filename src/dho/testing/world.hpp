// A world of handles for tests, with memory: what a locked handle sees is compared with what the
// last writer wrote. The test decides what happens next.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/print.hpp"
#include "core/testing/dice.hpp"
#include "dho/handle.hpp"
#include "dho/testing/locks.hpp"

namespace conch::dho::testing {

/// How often something happened: a check passes only if what it checks happens.
struct Tally {
  std::size_t locks = 0, writes = 0, transfers = 0, failures = 0, timeouts = 0, departures = 0,
              inheritances = 0, declines = 0, insists = 0, ends = 0, returns = 0, late = 0;
  CONCH_FIELDS(Tally, locks, writes, transfers, failures, timeouts, departures, inheritances,
               declines, insists, ends, returns, late)
};

template <class H, class LockManager>
class World {
 public:
  static constexpr std::size_t capacity = 8;
  static constexpr std::uint64_t garbage = ~std::uint64_t{0};
  using Memory = std::array<std::uint64_t, capacity>;

  World(const Members& nodes, const Options& options) : nodes_(nodes), lock_manager_(nodes) {
    for (NodeId node : nodes) {
      handles_.emplace(node, H(node, Members{}, options));
      memories_[node].fill(garbage);
    }
    truth_.fill(0);
  }

  H& at(NodeId node) { return handles_.at(node); }
  const Members& nodes() const { return nodes_; }
  const std::string& failure() const { return failure_; }
  const Tally& tally() const { return tally_; }

  // The application of a node calls.

  void create(NodeId node) {
    bool departing = at(node).state() == State::invalid && !at(node).gone();
    begin(node, creating_, [](H& handle, Orders& out) { return handle.create("data", out); });
    if (departing && creating_.contains(node)) ++tally_.returns;
  }
  void request(NodeId node, const Wish& wish) {
    Status status = Status::ok;
    call(node, [&](H& handle, Orders& out) {
      status = handle.request(wish, out);
      if (status == Status::ok) wishes_[node] = wish;
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

  // What else may happen. False: nothing of the kind can.

  bool deliver_one(Dice& dice) {
    if (in_flight_.empty()) return false;
    auto chosen = in_flight_.begin() + static_cast<std::ptrdiff_t>(dice.below(in_flight_.size()));
    InFlight sent = std::move(*chosen);
    in_flight_.erase(chosen);
    deliver(sent);
    return true;
  }
  bool step_lock(Dice& dice) {
    bool stepped = lock_manager_.step(dice);
    pass_on();
    return stepped;
  }
  bool tell_roster(Dice& dice) {
    if (untold_.empty()) return false;
    auto chosen = untold_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(dice.below(untold_.size())));
    auto [node, rosters] = *chosen;
    Members roster = rosters.front();
    chosen->second.erase(chosen->second.begin());
    if (chosen->second.empty()) untold_.erase(chosen);
    told_[node] = roster;
    call(node, [&](H& handle, Orders& out) { handle.roster(roster, out); });
    return true;
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

  /// Nothing can happen any more unless an application calls.
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
    for (const InFlight& sent : in_flight_) text += "  " + print(sent) + "\n";
    return text;
  }

 private:
  struct InFlight {
    NodeId from;
    NodeId to;
    Message message;
    /// What the sender's memory held.
    Memory bytes;
    CONCH_FIELDS(InFlight, from, to, message)
  };

  template <class Call>
  void begin(NodeId node, std::set<NodeId>& waiting, Call&& run) {
    call(node, [&](H& handle, Orders& out) {
      if (run(handle, out) == Status::waiting) waiting.insert(node);
    });
  }

  template <class Call>
  void call(NodeId node, Call&& run) {
    Orders out;
    State before = at(node).state();
    run(at(node), out);
    for (const auto& send : out.sends()) dispatch(node, send);
    for (const Order& order : out.orders()) carry_out(node, order);
    if (before != State::locked && at(node).state() == State::locked) check_locked(node);
    spoil(node);
    pass_on();
  }

  void pass_on() {
    for (auto& [node, effect] : lock_manager_.take_due()) {
      if (std::holds_alternative<Left>(effect)) leave(node);
      call(node, [&, &said = effect](H& handle, Orders& out) { tell(handle, said, out); });
    }
  }

  void dispatch(NodeId node, const Orders::Send& send) {
    if (send.to == node) fail("a handle sends to itself");
    if (const auto* fetch = std::get_if<Fetch>(&send.message))
      fetches_[{node, fetch->number}] = fetch->range;
    if (std::holds_alternative<Absent>(send.message)) fail("data are lost: " + print(node));
    tally_.inheritances += std::holds_alternative<Kept>(send.message);
    tally_.declines += std::holds_alternative<Decline>(send.message);
    if (const auto* invite = std::get_if<Invite>(&send.message)) tally_.insists += invite->insist;
    in_flight_.push_back({node, send.to, send.message, memories_.at(node)});
  }

  void deliver(const InFlight& sent) {
    bool late =
        std::visit([](const auto& m) { return may_come_late<std::remove_cvref_t<decltype(m)>>; },
                   sent.message);
    if (at(sent.to).gone()) {
      ++tally_.late;
      if (!late) fail("a message reaches one who has left: " + print(sent.message));
      return;
    }
    if (const auto* data = std::get_if<Data>(&sent.message)) {
      ++tally_.transfers;
      copy(sent, fetches_.at({sent.to, data->number}));
    }
    Memory before = memories_.at(sent.to);
    if (const auto* push = std::get_if<Push>(&sent.message)) copy(sent, push->range);
    bool kept = true;
    call(sent.to, [&](H& handle, Orders& out) {
      std::visit([&](const auto& m) { handle.receive(sent.from, m, out); }, sent.message);
      for (const auto& send : out.sends()) kept &= !std::holds_alternative<Decline>(send.message);
      if (!kept) memories_.at(sent.to) = before;
    });
  }
  void copy(const InFlight& sent, const Range& range) {
    for (std::size_t i = 0; i < capacity; ++i)
      if (is_in(i, range)) memories_.at(sent.to)[i] = sent.bytes[i];
  }

  void carry_out(NodeId node, const Order& order) {
    if (std::holds_alternative<Join>(order)) set_roster(roster_.with(node));
    if (const auto* release = std::get_if<Release>(&order)) check_end(node, *release);
    if (std::holds_alternative<Arm>(order)) armed_.insert(node);
    if (std::holds_alternative<Disarm>(order)) armed_.erase(node);
    if (std::holds_alternative<Created>(order)) end(creating_, node);
    if (std::holds_alternative<CreateFailed>(order)) end(creating_, node);
    if (std::holds_alternative<Acquired>(order)) end(acquiring_, node);
    if (const auto* failed = std::get_if<AcquireFailed>(&order)) {
      end(acquiring_, node);
      ++tally_.failures;
      tally_.timeouts += failed->status == Status::timed_out;
    }
    if (std::string wrong = lock_manager_.carry_out(node, order); !wrong.empty()) fail(wrong);
  }
  void end(std::set<NodeId>& waiting, NodeId node) {
    if (waiting.erase(node) == 0) fail("a call ends that nobody waits for: " + print(node));
  }

  void leave(NodeId node) {
    ++tally_.departures;
    set_roster(roster_.without(node));
  }
  void set_roster(const Members& roster) {
    roster_ = roster;
    for (NodeId node : nodes_) untold_[node].push_back(roster);
  }

  // What the applications do with the memory, and what must be there.

  static bool is_in(std::size_t index, const Range& range) {
    return range.begin <= index && index < range.end;
  }

  void check_locked(NodeId node) {
    ++tally_.locks;
    const Wish& wish = wishes_.at(node);
    for (const auto& [other, handle] : handles_)
      if (other != node && handle.state() == State::locked && wishes_.at(other).conflicts(wish))
        fail("two have locked what only one may: " + print(node) + " and " + print(other));
    for (std::size_t i = 0; i < capacity; ++i) {
      bool written = is_in(i, wish.range) && truth_[i] != 0;
      if (written && memories_.at(node)[i] != truth_[i])
        fail("not what the last writer wrote: byte " + std::to_string(i) + " at " + print(node));
    }
  }

  /// A writer writes everything that it may, just before it releases.
  void write(NodeId node) {
    const H& handle = at(node);
    if (handle.state() != State::locked || wishes_.at(node).mode == Mode::read) return;
    ++tally_.writes;
    const Range& range = wishes_.at(node).range;
    for (std::size_t i = 0; i < capacity; ++i) {
      if (!is_in(i, range)) continue;
      truth_[i] = i < handle.size() ? ++stamp_ : 0;
      memories_.at(node)[i] = truth_[i];
    }
  }

  /// Data end only with the last member, as far as it was told.
  void check_end(NodeId node, const Release& release) {
    bool ends = at(node).state() == State::invalid && release.data.version > 0 &&
                release.data.size == 0 && !release.data.location;
    if (!ends || told_[node].without(node).size() != 0) return;
    ++tally_.ends;
    truth_.fill(0);
  }

  /// Memory that a handle neither keeps nor holds is used for something else.
  void spoil(NodeId node) {
    const H& handle = at(node);
    if (!handle.parts().empty()) return;
    for (std::size_t i = 0; i < capacity; ++i)
      if (!handle.copies().touch(Range{i, i + 1})) memories_.at(node)[i] = garbage;
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
  std::map<NodeId, Memory> memories_;
  std::map<NodeId, Wish> wishes_;
  std::vector<InFlight> in_flight_;
  std::map<std::pair<NodeId, std::uint64_t>, Range> fetches_;
  Members roster_;
  std::map<NodeId, std::vector<Members>> untold_;
  std::map<NodeId, Members> told_;
  std::set<NodeId> armed_;
  std::set<NodeId> creating_;
  std::set<NodeId> acquiring_;
  Memory truth_;
  std::uint64_t stamp_ = 0;
  std::string failure_;
  Tally tally_;
};

/// Random calls in any order, then peace: whoever holds releases, and everybody may leave.
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
        ranged_(LockManager::is_shared && dice_.percent(50)),
        world_(Members::first(nodes), Options{dice_.percent(50)}) {}

  /// What went wrong, with the seed that repeats it; empty if nothing did.
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
  /// One thing that happens by itself; false if nothing can.
  bool happen() {
    std::size_t first = dice_.below(4);
    for (std::size_t i = first; i < first + 4; ++i)
      if (happen(i % 4)) return true;
    return false;
  }
  bool happen(std::size_t what) {
    switch (what) {
      case 0: return world_.deliver_one(dice_);
      case 1: return world_.step_lock(dice_);
      case 2: return world_.tell_roster(dice_);
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
      case 3: return world_.request(node, wish());
      case 4: return world_.resize(node, dice_.below(9));
      default: return go_on(node);
    }
  }
  /// What an orderly application does next.
  void go_on(NodeId node) {
    switch (world_.at(node).state()) {
      case State::invalid:
      case State::lost: return world_.create(node);
      case State::valid:
      case State::unlock: return world_.request(node, wish());
      case State::req:
      case State::grant:
      case State::fetch:
      case State::blocked: return world_.acquire(node);
      case State::locked:
        if (dice_.percent(50)) world_.resize(node, 1 + dice_.below(8));
        return world_.release(node);
    }
  }
  Wish wish() {
    if (!LockManager::is_shared) return {};
    Wish wish{dice_.percent(50) ? Mode::write : Mode::read, {}};
    if (!ranged_ || dice_.percent(50)) return wish;
    wish.range.begin = dice_.below(6);
    if (dice_.percent(70)) wish.range.end = wish.range.begin + 1 + dice_.below(3);
    return wish;
  }

  /// Somebody who holds lets go, or leaves; false if nobody is left.
  bool calm_down() {
    for (NodeId node : world_.nodes()) {
      switch (world_.at(node).state()) {
        case State::grant:
          // Whoever is last shall still find everything.
          world_.acquire(node);
          return true;
        case State::locked: world_.release(node); return true;
        default: break;
      }
    }
    for (NodeId node : world_.nodes()) {
      State state = world_.at(node).state();
      if (state == State::invalid || state == State::lost) continue;
      if (dice_.percent(30)) {
        world_.request(node, Wish{});
      } else {
        world_.destroy(node);
      }
      return true;
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
  bool ranged_;
  World<H, LockManager> world_;
};

}  // namespace conch::dho::testing
