// The processes of a simulation: think, ask, hold, let go; come and go; talk to one another.
#include <algorithm>
#include <utility>

#include "sim/simulation.hpp"

namespace conch::sim {

void Simulation::think(Node node) {
  Process& process = processes_[node];
  if (process.remaining == 0) {
    process.phase = Phase::done;
    --active_;
    return;
  }
  process.phase = Phase::thinking;
  bool thinks = (options_.requests - process.remaining) % options_.burst == 0;
  after(node, thinks ? options_.think.draw(random_) : Duration{0}, What::think);
}

bool Simulation::asks(Node node) const {
  const auto& askers = options_.askers;
  return askers.empty() || std::find(askers.begin(), askers.end(), node) != askers.end();
}

void Simulation::request(Node node) {
  Process& process = processes_[node];
  if (process.phase != Phase::thinking) return;  // an application message made it ask already
  process.phase = Phase::waiting;
  ++process.request;
  Wish wish = options_.shares() ? draw_wish() : Wish{};
  observer_.requested(node, wish, now_);
  maybe_tell(node);
  if (process.churns) {
    after(node, patience(), What::drop, 0, process.request);
  } else if (random_.chance(options_.cancel)) {
    Duration patience = options_.hold.mean() + 4 * options_.remote_latency.mean();
    after(node, Distribution::exponential(patience).draw(random_), What::cancel, 0,
          process.request);
  }
  call(node, [&] { simulated_nodes_->tell(node, input::Request{wish}); });
}

/// After each block a run is as likely to end as to go on; a run of all blocks is the default
/// range.
Wish Simulation::draw_wish() {
  constexpr std::uint64_t block_bytes = 1024;
  Wish wish;
  if (random_.chance(options_.readers)) wish.mode = Mode::read;
  std::uint64_t blocks = 1;
  while (blocks < options_.ranges && random_.chance(0.5)) ++blocks;
  if (blocks == options_.ranges) return wish;
  std::uint64_t first = random_.below(options_.ranges - blocks + 1);
  wish.range = {first * block_bytes, (first + blocks) * block_bytes};
  return wish;
}

/// How long a process that churns keeps a request. Half of the time that is about as long as the
/// request is on its way, otherwise long enough for a part of a full queue: so it is sometimes
/// served and sometimes not, whatever the load.
Duration Simulation::patience() {
  if (random_.chance(0.5))
    return Distribution::exponential(2 * options_.remote_latency.mean()).draw(random_);
  auto holders = static_cast<std::int64_t>(random_.below(processes_.size() + 1));
  Duration thinks = options_.think.draw(random_);
  return thinks + holders * options_.hold.draw(random_);
}

/// The request happens before the other process is told of it.
void Simulation::maybe_tell(Node node) {
  if (processes_.size() < 2 || !random_.chance(options_.chatter)) return;
  Node to = static_cast<Node>(random_.below(processes_.size() - 1));
  if (to >= node) ++to;
  ++local_events_;
  events_.push(now_, {.node = node, .a = to, .life = processes_[node].life, .what = What::tell});
}

void Simulation::tell(Node node, Node to) {
  told_.push_back({simulated_nodes_->stamp(node), observer_.tells(node, to, now_)});
  Arrivals arrivals = network_.carry(node, to, 16, now_);
  if (arrivals.copies == 0) return;
  ++local_events_;
  events_.push(arrivals.at[0], {.node = to,
                                .a = node,
                                .b = static_cast<std::uint32_t>(told_.size() - 1),
                                .life = processes_[to].life,
                                .what = What::told});
}

void Simulation::told(const Event& event) {
  if (!present(event.node)) return;
  const ApplicationMessage message = std::exchange(told_[event.b], {});
  observer_.told(event.node, event.a, message.clock, now_);
  simulated_nodes_->observe(event.node, message.stamp);
  request(event.node);
}

void Simulation::entered(Node node, const Entered& entered) {
  Process& process = processes_[node];
  CONCH_EXPECT(process.phase == Phase::waiting, "only a waiter enters");
  process.phase = Phase::inside;
  delivered_since_entry_ = 0;
  observer_.entered(node, entered, now_);
  after(node, options_.hold.draw(random_), What::release, 0, process.request);
}

void Simulation::release(Node node, std::uint32_t request) {
  Process& process = processes_[node];
  if (process.phase != Phase::inside || process.request != request) return;  // dropped before
  DataRef data = observer_.released(node, now_);
  call(node, [&] { simulated_nodes_->tell(node, input::Release{data}); });
  finished(node);
}

void Simulation::cancel(Node node, std::uint32_t request) {
  Process& process = processes_[node];
  if (process.phase != Phase::waiting || process.request != request) return;
  process.phase = Phase::cancelling;
  observer_.cancelled(node, now_);
  call(node, [&] { simulated_nodes_->tell(node, input::Cancel{}); });
}

void Simulation::drop(Node node, std::uint32_t request) {
  cancel(node, request);
  release(node, request);
}

void Simulation::withdrawn(Node node) {
  CONCH_EXPECT(processes_[node].phase == Phase::cancelling,
               "only a cancelled request is withdrawn");
  delivered_since_entry_ = 0;
  observer_.withdrawn(node, now_);
  finished(node);
}

/// A request is over, served or withdrawn. A process that churns runs the out-of-order cycle
/// (Hernane, Gustedt, Benyettou 2015, listing 1): it makes a second request at once, and then
/// leaves.
void Simulation::finished(Node node) {
  Process& process = processes_[node];
  --process.remaining;
  if (!process.churns || process.remaining == 0) return think(node);
  process.asks_again = !process.asks_again;
  if (process.asks_again) {
    process.phase = Phase::thinking;
    return after(node, Duration{0}, What::think);
  }
  process.phase = Phase::leaving;
  after(node, Duration{0}, What::leave);
}

void Simulation::leave(Node node) {
  observer_.note(now_, Happening::leave, node);
  call(node, [&] { simulated_nodes_->tell(node, input::Leave{}); });
}

void Simulation::left(Node node) {
  observer_.gone(node, now_);
  processes_[node].phase = Phase::draining;
  roster_ = roster_.without(id_of(node));
  draining_.push_back(node);
  for (auto each = timers_.lower_bound({node, TimerId{0}});
       each != timers_.end() && each->first.first == node; ++each)
    ++each->second;
  after(node, Duration{0}, What::roster);
}

/// A node that has left may come back when the last message from it or to it has arrived: so
/// nothing of its former life meets its next.
void Simulation::see_off() {
  for (Node node : std::exchange(draining_, {})) {
    if (processes_[node].phase != Phase::draining) continue;  // it has crashed
    if (in_flight_.of(node) > 0) {
      draining_.push_back(node);
      continue;
    }
    processes_[node].phase = Phase::away;
    if (links_) links_->disconnect(node);
    after(node, options_.think.draw(random_), What::join);
  }
}

/// Puts the node onto the roster first; then it asks a member to welcome it.
void Simulation::join(Node node) {
  observer_.joins(node, now_);
  Members welcoming = roster_;
  processes_[node].phase = Phase::joining;
  roster_ = roster_.with(id_of(node));
  simulated_nodes_->create(node, assignment(welcoming[0], Baton{}));
  publish_roster();
  Node contact = node_of(welcoming[random_.below(welcoming.size())]);
  call(node, [&] { simulated_nodes_->tell(node, input::Join{id_of(contact)}); });
}

void Simulation::joined(Node node) {
  observer_.note(now_, Happening::joined, node);
  think(node);
}

void Simulation::publish_roster() {
  for (NodeId member : roster_) {
    Node node = node_of(member);
    if (!present(node)) continue;
    call(node, [&] { simulated_nodes_->tell(node, input::Roster{roster_}); });
  }
}

void Simulation::armed(Node node, const Armed& armed) {
  std::uint32_t number = ++timers_[{node, armed.timer}];
  Duration delay = Distribution::uniform(armed.min, armed.max).draw(random_);
  after(node, delay, What::timer, static_cast<std::uint32_t>(armed.timer), number);
}

void Simulation::disarmed(Node node, TimerId timer) { ++timers_[{node, timer}]; }

}  // namespace conch::sim
