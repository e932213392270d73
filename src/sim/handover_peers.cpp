#include "sim/handover_peers.hpp"

#include <algorithm>
#include <utility>

#include "sim/distribution.hpp"

namespace conch::sim::handover {

namespace {

constexpr std::uint64_t stream = 4;
constexpr std::string_view resource = "data";
/// A lock manager numbers its timers from zero.
constexpr std::size_t timers_max = 256;

}  // namespace

HandoverPeers::HandoverPeers(const Workload& workload, HandoverEngine& engine)
    : workload_((validate(workload), workload)),
      engine_(engine),
      random_(workload.seed, stream),
      simulated_nodes_(
          make_simulated_nodes(find_algorithm(workload.algorithm), workload.peers, *this)),
      roster_(Members::first(workload.peers)),
      timers_(timers_max * workload.peers),
      steady_left_(workload.steady()) {
  auto kinds = simulated_nodes_->kinds();
  auto swap = std::find(kinds.begin(), kinds.end(), "SWAP");
  if (swap != kinds.end()) swap_kind_ = static_cast<std::size_t>(swap - kinds.begin());
}

void HandoverPeers::start() {
  Assignment start = Assignment::fresh(roster_, id_of(0), workload_.tuning);
  for (Node node = 0; node < workload_.peers; ++node) {
    simulated_nodes_->create(node, start);
    peers_.emplace_back(id_of(node), dho::HandleOptions{workload_.prefetch},
                        static_cast<DataPeer::Outlet&>(*this));
    peers_[node].churns = node >= workload_.steady();
  }
  Distribution opening = Distribution::uniform(Duration::zero(), workload_.opening);
  for (Node node = 0; node < workload_.peers; ++node) {
    simulated_nodes_->tell(node, input::Start{});
    sleep(node, node == 0 ? Duration::zero() : opening.draw(random_), Step::create);
  }
  settle();
}

void HandoverPeers::deliver(const HandoverMessage& parcel) {
  receive(parcel);
  settle();
  for (Node end : {parcel.from, parcel.to}) {
    --peers_[end].in_flight;
    if (peers_[end].presence == Presence::draining) see_off(end);
  }
  settle();
}

void HandoverPeers::carry(const HandoverMessage& parcel, std::uint64_t bytes) {
  ++peers_[parcel.from].in_flight;
  ++peers_[parcel.to].in_flight;
  engine_.carry(parcel, bytes);
}

void HandoverPeers::alarm(const Reminder& alarm) {
  switch (alarm.what) {
    case Reminder::What::step: acting_.push_back(alarm.node); break;
    case Reminder::What::timer: {
      auto timer = static_cast<std::size_t>(alarm.timer);
      if (timers_[timers_max * alarm.node + timer] != alarm.number) return;
      simulated_nodes_->tell(alarm.node, input::Timer{alarm.timer});
    }
  }
  settle();
}

/// A handle hears what its lock manager said before anything else happens to it.
void HandoverPeers::settle() {
  while (true) {
    if (!happened_.empty()) {
      Happened first = std::move(happened_.front());
      happened_.pop_front();
      tell(first);
    } else if (!acting_.empty()) {
      Node node = acting_.front();
      acting_.pop_front();
      act(node);
    } else {
      return;
    }
  }
}

// The lock managers.

void HandoverPeers::post(const Posted& message) {
  ++record_.counts.messages;
  if (message.kind == swap_kind_) ++record_.counts.swaps;
  if (peers_[message.to].presence != Presence::member)
    return simulated_nodes_->discard(message.slot);
  carry({message.from, message.to, message.slot, false}, workload_.message_bytes);
}

void HandoverPeers::entered(Node node, const Entered& entered) {
  Peer& peer = peers_[node];
  peer.cycle.handed_over = record_.handed_over(peer.cycle.requested, engine_.now());
  if (peer.churns) ++record_.counts.unwanted;
  happened(node, entered);
}

void HandoverPeers::armed(Node node, const Armed& armed) {
  auto timer = static_cast<std::size_t>(armed.timer);
  std::uint32_t number = ++timers_[timers_max * node + timer];
  Duration delay = Distribution::uniform(armed.min, armed.max).draw(random_);
  engine_.remind({node, Reminder::What::timer, armed.timer, number}, delay);
}

void HandoverPeers::disarmed(Node node, TimerId timer) {
  ++timers_[timers_max * node + static_cast<std::size_t>(timer)];
}

void HandoverPeers::tell(const Happened& happened) {
  const auto& [node, effect] = happened;
  if (std::holds_alternative<Left>(effect)) go(node);
  if (std::holds_alternative<Joined>(effect)) ++record_.counts.joins;
  peers_[node].data.tell(effect);
}

// The handles.

void HandoverPeers::send(NodeId from, NodeId to, Letter letter) {
  ++record_.counts.handle_messages;
  if (std::holds_alternative<FetchLetter>(letter))
    peers_[node_of(from)].cycle.fetching = engine_.now();
  std::uint64_t bytes = workload_.message_bytes + cargo(letter);
  carry({node_of(from), node_of(to), letters_.put(std::move(letter)), true}, bytes);
}

void HandoverPeers::receive(const HandoverMessage& parcel) {
  Peer& peer = peers_[parcel.to];
  if (!parcel.of_handles) {
    if (peer.presence == Presence::member)
      simulated_nodes_->receive(parcel.to, parcel.from, parcel.slot);
    return simulated_nodes_->discard(parcel.slot);
  }
  Letter letter = letters_.take(parcel.slot);
  if (std::holds_alternative<DataLetter>(letter))
    peer.cycle.fetched = engine_.now() - peer.cycle.fetching;
  peer.data.receive(id_of(parcel.from), letter);
}

namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace

void HandoverPeers::order(NodeId id, const dho::Order& order) {
  Node node = node_of(id);
  std::visit(
      Overloaded{
          [&](const dho::Join&) { come(node); },
          [&](const dho::Ask& ask) {
            simulated_nodes_->tell(node, input::Request{{ask.mode, {}}});
          },
          [&](const dho::Cancel&) { simulated_nodes_->tell(node, input::Cancel{}); },
          [&](const dho::Leave&) { simulated_nodes_->tell(node, input::Leave{}); },
          [&](const dho::Created&) { acting_.push_back(node); },
          [&](const dho::Acquired&) { acting_.push_back(node); },
          [](const auto&) { CONCH_EXPECT(false, "no acquire here has a deadline or fails"); },
      },
      order);
}

void HandoverPeers::release(NodeId id, const DataRef& data) {
  record_.passed(engine_.now());
  simulated_nodes_->tell(node_of(id), input::Release{data});
}

// Membership.

/// Puts the peer onto the roster first; then it asks a member to welcome it.
void HandoverPeers::come(Node node) {
  Peer& peer = peers_[node];
  if (std::exchange(peer.founds, false)) return happened(node, Joined{});
  if (peer.presence == Presence::draining) {
    peer.wants_in = true;
    return;
  }
  peer.wants_in = false;
  peer.presence = Presence::member;
  Members welcoming = roster_;
  roster_ = roster_.with(id_of(node));
  simulated_nodes_->create(node,
                           Assignment{Epoch{}, roster_, welcoming[0], Baton{}, workload_.tuning});
  publish_roster();
  simulated_nodes_->tell(node, input::Join{welcoming[random_.below(welcoming.size())]});
}

void HandoverPeers::go(Node node) {
  ++record_.counts.leaves;
  peers_[node].presence = Presence::draining;
  roster_ = roster_.without(id_of(node));
  publish_roster();
  see_off(node);
}

void HandoverPeers::see_off(Node node) {
  Peer& peer = peers_[node];
  if (peer.in_flight > 0) return;
  peer.presence = Presence::away;
  simulated_nodes_->destroy(node);
  if (peer.wants_in) come(node);
}

void HandoverPeers::publish_roster() {
  for (NodeId member : Members(roster_)) {
    simulated_nodes_->tell(node_of(member), input::Roster{roster_});
  }
}

// The applications.

void HandoverPeers::act(Node node) {
  Peer& peer = peers_[node];
  switch (peer.step) {
    case Step::create: return create(node);
    case Step::begin:
      peer.cycle = Cycle{};
      peer.cycle.number = peer.cycles;
      peer.cycle.began = engine_.now();
      return sleep(node, workload_.idle, Step::request);
    case Step::request:
      peer.cycle.requested = engine_.now();
      peer.data.request(Mode::write);
      return sleep(node, workload_.overlap, Step::acquire);
    case Step::acquire: return acquire(node);
    case Step::use: return use(node);
    case Step::release:
      holder_.reset();
      peer.data.release();
      return finish_cycle(node);
    case Step::request_in_vain:
      peer.data.request(Mode::write);
      return sleep(node, workload_.first_wait, Step::request_again);
    case Step::request_again:
      peer.data.request(Mode::write);  // the previous request is dropped
      return sleep(node, workload_.second_wait, Step::give_up);
    case Step::give_up: peer.data.release(); return next(node, Step::give_up_again);
    case Step::give_up_again:
      peer.data.release();  // it is ignored
      return next(node, Step::destroy);
    case Step::destroy: peer.data.destroy(); return next(node, Step::create);
    case Step::finished: return;
  }
}

void HandoverPeers::create(Node node) {
  Peer& peer = peers_[node];
  if (peer.churns && steady_left_ == 0) {
    peer.step = Step::finished;
    return;
  }
  peer.step = peer.churns ? Step::request_in_vain : Step::begin;
  peer.data.create(resource);
}

void HandoverPeers::acquire(Node node) {
  Peer& peer = peers_[node];
  peer.cycle.acquired = engine_.now();
  peer.step = Step::use;
  if (peer.data.acquire() == dho::CallStatus::ok) acting_.push_back(node);
}

void HandoverPeers::use(Node node) {
  Peer& peer = peers_[node];
  CONCH_EXPECT(!std::exchange(holder_, node), "one peer holds the data at a time");
  CONCH_EXPECT(peer.data.handle().state() == dho::State::locked,
               "a peer that uses the data has locked them");
  peer.cycle.locked = engine_.now();
  peer.data.resize(workload_.bytes);
  bool opens = node == 0 && peer.cycles == 0;
  sleep(node, workload_.locked + (opens ? workload_.opening : Duration::zero()), Step::release);
}

void HandoverPeers::finish_cycle(Node node) {
  Peer& peer = peers_[node];
  peer.cycle.released = engine_.now();
  bool is_last = ++peer.cycles == workload_.cycles;
  record_.add(peer.cycle, is_last);
  if (is_last) --steady_left_;
  next(node, is_last ? Step::finished : Step::begin);
}

void HandoverPeers::sleep(Node node, Duration duration, Step then) {
  if (duration == Duration::zero()) return next(node, then);
  peers_[node].step = then;
  engine_.remind({.node = node, .what = Reminder::What::step}, duration);
}

void HandoverPeers::next(Node node, Step step) {
  peers_[node].step = step;
  acting_.push_back(node);
}

Measured HandoverPeers::measured() const {
  for (Node node = 0; node < peers_.size(); ++node) {
    if (peers_[node].step == Step::finished) continue;
    throw Stuck("nothing can happen any more, and the handle of peer " + std::to_string(node) +
                " is " + std::string(dho::word(peers_[node].data.handle().state())));
  }
  Measured measured = record_.measured();
  measured.ended_s = seconds_of(engine_.now().time_since_epoch());
  return measured;
}

}  // namespace conch::sim::handover
