// Figure 5 and table 1 of Hernane 2015: the path of a request between two neighbours, and the
// combined states of each. A neighbour is a peer, a resource manager and a lock manager.
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "core/print.hpp"
#include "lab/experiment.hpp"
#include "mutex/elmp.hpp"
#include "sim/data_peer.hpp"

namespace conch::lab {

namespace {

/// In message times.
constexpr double locked_for = 20, asks_at = 5, works_for = 40;
constexpr std::uint64_t bytes = 1 << 20;
constexpr NodeId first{1}, second{2};

using Activity = Elmp::Activity;
std::string_view word_of(Activity activity) {
  switch (activity) {
    case Activity::idle: return "Idle";
    case Activity::requesting: return "Requesting";
    case Activity::busy: return "Busy";
    case Activity::blocked: return "Blocked";
    case Activity::exiting: return "Exiting";
  }
  return "?";
}

/// The states of one neighbour: the peer, its handle and its lock manager.
using States = std::tuple<dho::PeerState, dho::State, Activity>;
std::string print(const States& states) {
  auto [peer, handle, lock] = states;
  return fmt::format("{}, {}, {}", word(peer), word(handle), word_of(lock));
}

/// Whether table 1 has this combination: the pairs of its first two rows, and what the third has
/// below them. The table leaves out an idle lock manager "for readability".
bool is_in_table_1(const States& states) {
  using dho::PeerState, dho::State;
  auto [peer, handle, lock] = states;
  static const std::set<std::pair<PeerState, State>> columns{
      {PeerState::idle, State::valid},    {PeerState::idle, State::unlock},
      {PeerState::req, State::req},       {PeerState::req, State::grant},
      {PeerState::req, State::fetch},     {PeerState::blocked, State::blocked},
      {PeerState::locked, State::locked},
  };
  if (!columns.contains({peer, handle})) return false;
  bool asks = handle == State::req;
  switch (lock) {
    case Activity::idle:
    case Activity::busy: return true;
    case Activity::requesting: return asks;
    case Activity::blocked: return !asks;
    case Activity::exiting: return false;
  }
  return false;
}

/// An event, and the states after it.
struct TimelineStep {
  double at;
  std::string what;
  /// The numbered circles of figure 5 that the event passes, by the text of section 6.2.
  std::string circles;
  States one, two;
};

/// Both neighbours, and the messages between them. A message takes one message time, data one more.
class TwoNeighbours final : private sim::DataPeer::Outlet {
 public:
  TwoNeighbours() {
    for (NodeId node : members_)
      peers_.try_emplace(node, node, members_, static_cast<Outlet&>(*this));
    for (NodeId node : members_) {
      at(node).data.create("data");
      at(node).data.tell(Joined{});  // members from the start
    }
  }

  /// An application calls its handle.
  template <class Call>
  void call(NodeId node, std::string_view name, Call&& function) {
    dho::State before = at(node).data.handle().state();
    std::size_t orders = orders_;
    function(at(node).data);
    settle();
    std::string circles = "1, 2";
    if (at(node).data.handle().state() != before) circles += ", 3";
    if (orders_ != orders) circles += ", 4";
    record(fmt::format("{} calls {}", name_of(node), name), circles);
  }
  /// Delivers everything that arrives up to this time.
  void advance(double until) {
    while (!flights_.empty() && flights_.begin()->first <= until) {
      Flight flight = std::move(flights_.begin()->second);
      now_ = flights_.begin()->first;
      flights_.erase(flights_.begin());
      deliver(flight);
    }
    now_ = until;
  }
  const std::vector<TimelineStep>& steps() const { return steps_; }
  sim::DataPeer& data(NodeId node) { return at(node).data; }

 private:
  struct Peer {
    Peer(NodeId node, const Members& members, Outlet& outlet)
        : lock(node, Assignment::fresh(members, first)), data(node, {}, outlet) {}

    Elmp lock;
    sim::DataPeer data;
  };
  struct Flight {
    NodeId from, to;
    std::variant<elmp::Message, sim::Letter> message;
  };

  static std::string name_of(NodeId node) { return node == first ? "P1" : "P2"; }
  Peer& at(NodeId node) { return peers_.at(node); }
  States states(NodeId node) {
    const dho::Handle& handle = at(node).data.handle();
    return {handle.peer(), handle.state(), at(node).lock.activity()};
  }
  void record(std::string what, std::string circles) {
    steps_.push_back({now_, std::move(what), std::move(circles), states(first), states(second)});
  }

  Time now() const override { return {}; }
  void send(NodeId from, NodeId to, sim::Letter letter) override {
    double transfer = sim::cargo(letter) > 0 ? 1 : 0;
    flights_.emplace(now_ + 1 + transfer, Flight{from, to, std::move(letter)});
  }
  void order(NodeId node, const dho::Order& order) override {
    const auto* ask = std::get_if<dho::Ask>(&order);
    if (!ask) return;
    ++orders_;
    lock(node, [&](Elmp& elmp, Elmp::Out& out) { elmp.request({ask->mode, {}}, out); });
  }
  void release(NodeId node, const DataRef& data) override {
    ++orders_;
    lock(node, [&](Elmp& elmp, Elmp::Out& out) { elmp.release(data, out); });
  }
  template <class Call>
  void lock(NodeId node, Call&& function) {
    Elmp::Out out;
    function(at(node).lock, out);
    for (const auto& send : out.sends())
      flights_.emplace(now_ + 1, Flight{node, send.to, send.message});
    for (const Effect& effect : out.effects()) said_.emplace_back(node, effect);
  }
  /// Passes the effects of lock managers on to their handles.
  void settle() {
    while (!said_.empty()) {
      auto [node, effect] = std::move(said_.front());
      said_.pop_front();
      ++orders_;
      at(node).data.tell(effect);
    }
  }

  void deliver(const Flight& flight) {
    dho::State before = at(flight.to).data.handle().state();
    std::size_t orders = orders_;
    std::string kind;
    bool from_predecessor = true;
    if (const auto* said = std::get_if<elmp::Message>(&flight.message)) {
      from_predecessor = std::holds_alternative<elmp::Token>(*said);
      lock(flight.to, [&](Elmp& elmp, Elmp::Out& out) {
        std::visit(
            [&]<class M>(const M& m) {
              kind = upper_case(M::type_name);
              elmp.receive(flight.from, m, out);
            },
            *said);
      });
    } else {
      const auto& letter = std::get<sim::Letter>(flight.message);
      kind = std::visit([](const auto& m) { return std::string(m.name); }, letter);
      at(flight.to).data.receive(flight.from, letter);
    }
    settle();
    std::string circles = from_predecessor ? "6" : "5";
    if (orders_ != orders) circles += ", 4";
    if (at(flight.to).data.handle().state() != before) circles += ", 3";
    if (kind == "DATA") circles += ", 2";
    record(fmt::format("{} -> {} {}", name_of(flight.from), name_of(flight.to), kind), circles);
  }

  Members members_ = Members::first(3).without(NodeId{0});
  std::map<NodeId, Peer> peers_;
  std::multimap<double, Flight> flights_;
  std::deque<std::pair<NodeId, Effect>> said_;
  std::vector<TimelineStep> steps_;
  std::size_t orders_ = 0;
  double now_ = 0;
};

/// P1 holds the data; P2 asks for them, works for `works` message times, and then acquires them. If
/// `works` is 0, P2 acquires them at once, while P1 still holds them.
std::vector<TimelineStep> follow(double works) {
  TwoNeighbours both;
  auto request = [&](NodeId node) {
    both.call(node, "request", [](sim::DataPeer& peer) { peer.request(Mode::write); });
  };
  auto acquire = [&](NodeId node) {
    both.call(node, "acquire", [](sim::DataPeer& peer) { peer.acquire(); });
  };
  auto release = [&](NodeId node) {
    both.call(node, "release", [](sim::DataPeer& peer) { peer.release(); });
  };
  request(first);
  acquire(first);
  both.data(first).resize(bytes);
  both.advance(asks_at);
  request(second);
  if (works == 0) acquire(second);
  both.advance(locked_for);
  release(first);
  if (works > 0) {
    both.advance(asks_at + works);
    both.call(second, "test", [](sim::DataPeer&) {});
    acquire(second);
  }
  both.advance(2 * works_for);
  release(second);
  return both.steps();
}

/// The index of the first such step; steps.size() if there is none.
std::size_t find(const std::vector<TimelineStep>& steps, std::string_view what) {
  auto found = std::find_if(steps.begin(), steps.end(),
                            [&](const TimelineStep& step) { return step.what == what; });
  return static_cast<std::size_t>(found - steps.begin());
}

/// Whether the steps of the paper's text occur, each after the one before.
bool is_path(const std::vector<TimelineStep>& steps) {
  std::size_t last = 0;
  for (std::string_view what : {"P2 calls request", "P2 -> P1 LOCK", "P1 calls release",
                                "P1 -> P2 TOKEN", "P2 -> P1 FETCH", "P1 -> P2 DATA"}) {
    std::size_t place = find(steps, what);
    if (place == steps.size() || (last > 0 && place <= last)) return false;
    last = place;
  }
  return std::get<1>(steps[last].two) == dho::State::locked;
}

PaperClaim judge_states(const std::vector<std::vector<TimelineStep>>& runs) {
  std::set<States> seen;
  for (const auto& steps : runs)
    for (const TimelineStep& step : steps) seen.insert({step.one, step.two});
  std::string missing;
  for (const States& states : seen)
    if (!is_in_table_1(states))
      missing += fmt::format("{}({})", missing.empty() ? "" : ", ", print(states));
  return {
      "Hernane 2015, table 1", "These are the combined states of peer, handle and lock manager.",
      "14, and those with an idle lock manager",
      missing.empty() ? fmt::format("All {} that were seen are there.", seen.size())
                      : fmt::format("Of the {} that were seen it lacks {}.", seen.size(), missing),
      missing.empty() ? ClaimVerdict::holds : ClaimVerdict::in_part};
}

std::vector<PaperClaim> judge(const std::vector<std::vector<TimelineStep>>& runs) {
  const std::vector<TimelineStep>& at_once = runs[0];
  double released = at_once[find(at_once, "P1 calls release")].at;
  double token = at_once[find(at_once, "P1 -> P2 TOKEN")].at - released;
  double data = at_once[find(at_once, "P1 -> P2 DATA")].at - released;
  const std::vector<TimelineStep>& later = runs[1];
  bool fetched_by_acquire = later[find(later, "P2 -> P1 FETCH")].at > asks_at + works_for;
  return {
      {"Hernane 2015, figure 5",
       "A request goes from the peer through its resource manager to its lock manager and to the "
       "parent; the token, and then the data, come from the predecessor.",
       "",
       fmt::format("In this order. The token is there {:.0f} message time after the release, the "
                   "data {:.0f} more: the question, the answer, and one for their length.",
                   token, data - token),
       judged(is_path(runs[0]) && is_path(runs[1]))},
      {"Hernane 2015, section 6.2",
       "The resource manager fetches the data as soon as the token is there.", "",
       fetched_by_acquire
           ? "Only when the peer has called acquire, as section 7.2 and its figure 8 have it; "
             "`prefetch` of the handle does it as soon as the token is there."
           : "As soon as the token is there.",
       fetched_by_acquire ? ClaimVerdict::in_part : ClaimVerdict::holds},
      judge_states(runs),
  };
}

/// Draws how long P2's handle is in each state on its way from request to release.
void draw(Figure& figure, std::string_view series, const std::vector<TimelineStep>& steps) {
  constexpr dho::State states[] = {dho::State::req, dho::State::blocked, dho::State::grant,
                                   dho::State::fetch};
  for (std::size_t i = 0; i < std::size(states); ++i) {
    if (figure.x.names.size() <= i) figure.x.names.emplace_back(word(states[i]));
    double spent = 0;
    for (std::size_t step = 0; step + 1 < steps.size(); ++step)
      if (std::get<1>(steps[step].two) == states[i]) spent += steps[step + 1].at - steps[step].at;
    figure.at(series).points.push_back({static_cast<double>(i), spent});
  }
}

}  // namespace

ExperimentResult dho_request(const Setup&) {
  ExperimentResult findings{
      fmt::format("Two neighbours, elmp; P1 has locked the data for {:.0f} message times and P2 "
                  "asks for them after {:.0f}. T_W is\nthe time between P2's request and its "
                  "acquire. The circles of figure 5 are those that the text of\nsection 6.2 gives; "
                  "5, which it leaves out, is what lock managers say to each other. A message "
                  "takes\none message time, the data two. Nothing is drawn: there are no seeds. "
                  "The states are those of\npeer, handle and lock manager.",
                  locked_for, asks_at),
      Table({"T_W", "time", "what", "circles", "P1", "P2"})};
  for (std::size_t column : {2u, 3u, 4u, 5u}) findings.table.align_left(column);
  Figure figure{"Time of a request in each state of its handle",
                "Hernane 2015, figure 5",
                Shape::bars,
                {"state"},
                {"time in the state", "message times"}};
  std::vector<std::vector<TimelineStep>> runs;
  for (double works : {0.0, works_for}) {
    const std::vector<TimelineStep>& steps = runs.emplace_back(follow(works));
    for (const TimelineStep& step : steps)
      findings.table.row({fmt::format("{:.0f}", works), fmt::format("{:.0f}", step.at), step.what,
                          step.circles, print(step.one), print(step.two)});
    draw(figure, fmt::format("T_W = {:.0f}", works), steps);
  }
  findings.claims = judge(runs);
  findings.figures = {figure};
  return findings;
}

}  // namespace conch::lab
