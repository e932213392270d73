#include "mutex/central.hpp"

#include <algorithm>
#include <utility>

namespace conch {

static_assert(Attentive<Central> && Suspecting<Central>);

Central::Central(NodeId self, const Assignment& start)
    : self_(self), server_(start.home), fence_(start.baton.fence), batons_(start.baton) {}

template <class M>
void Central::tell(NodeId to, const M& m, Out& out) {
  to == self_ ? receive(self_, m, out) : out.send(to, m);
}

// Client.

void Central::request(const Wish& wish, Out& out) {
  CONCH_EXPECT(state_ == State::released, "a process asks once");
  state_ = State::wanted;
  wish_ = wish;
  ++number_;
  if (wish == Wish{}) return tell(server_, Request{number_}, out);
  tell(server_, RequestShare{number_, wish}, out);
}

void Central::release(const DataRef& data, Out& out) {
  CONCH_EXPECT(state_ == State::held, "only the holder releases");
  baton_->data = data;
  give_back(out);
}

void Central::give_back(Out& out) {
  state_ = State::released;
  grant_to_come_ = false;
  Baton baton = *std::exchange(baton_, std::nullopt);
  if (wish_ == Wish{}) return tell(server_, Release{baton}, out);
  tell(server_, ReleaseShare{number_, baton}, out);
}

void Central::receive(NodeId, const Grant& m, Out& out) { granted(m.baton, {}, out); }
void Central::receive(NodeId, const GrantShare& m, Out& out) { granted(m.baton, m.parts, out); }

void Central::granted(const Baton& baton, const std::vector<Part>& parts, Out& out) {
  baton_ = baton;
  if (state_ == State::wanted) {
    state_ = State::held;
    out.enter(baton, parts);
  } else if (grant_to_come_) {
    give_back(out);
    out.withdrawn();
  }
}

void Central::cancel(Out& out) {
  CONCH_EXPECT(state_ == State::wanted, "a waiter cancels, once");
  state_ = State::cancelling;
  tell(server_, Cancel{number_}, out);
}

void Central::receive(NodeId, const Cancelled& m, Out& out) {
  if (m.granted && !baton_) {
    grant_to_come_ = true;
    return;
  }
  if (m.granted) give_back(out);
  state_ = State::released;
  out.withdrawn();
}

// Server.

namespace {

template <class Claims>
auto find(Claims& claims, NodeId client, std::uint64_t number) {
  return std::find_if(claims.begin(), claims.end(), [&](const auto& claim) {
    return claim.client == client && claim.number == number;
  });
}

}  // namespace

void Central::receive(NodeId from, const Request& m, Out& out) {
  queue({from, m.number, Wish{}}, out);
}
void Central::receive(NodeId from, const RequestShare& m, Out& out) {
  queue({from, m.number, m.wish}, out);
}

void Central::queue(const Waiter& waiter, Out& out) {
  if (suspected_.contains(waiter.client)) return;
  if (cancelled_.erase({waiter.client, waiter.number})) return;
  queue_.push_back(waiter);
  grant_all(out);
}

void Central::grant_all(Out& out) {
  for (auto waiter = queue_.begin(); waiter != queue_.end();) {
    Waiter next = *waiter;
    if (in_the_way(waiter)) {
      ++waiter;
    } else {
      waiter = queue_.erase(waiter);
      grant(next, out);
    }
    if (next.wish == Wish{}) return;  // it conflicts with every later request
  }
}

/// Whether a holder or an earlier waiter conflicts with this waiter.
bool Central::in_the_way(Waiters::iterator waiter) const {
  auto conflicts = [&](const auto& other) { return other.wish.conflicts(waiter->wish); };
  return std::any_of(holders_.begin(), holders_.end(), conflicts) ||
         std::any_of(queue_.begin(), Waiters::const_iterator(waiter), conflicts);
}

void Central::grant(const Waiter& waiter, Out& out) {
  const auto& [client, number, wish] = waiter;
  Baton newest = batons_.at(wish.range.begin);
  batons_.visit(wish.range,
                [&](const Range&, const Baton& baton) { newest = newer(newest, baton); });
  if (wish.mode == Mode::write) newest.fence = fence_ = fence_.next();
  holders_.push_back({client, number, wish, newest.fence, false});
  if (wish == Wish{} && batons_.uniform()) return tell(client, Grant{number, newest}, out);
  tell(client, GrantShare{number, newest, parts_of(batons_, wish.range)}, out);
}

void Central::receive(NodeId from, const Release& m, Out& out) {
  auto holder = std::find_if(holders_.begin(), holders_.end(), [&](const Holder& each) {
    return each.client == from && each.fence == m.baton.fence;
  });
  released(holder, m.baton, out);
}
void Central::receive(NodeId from, const ReleaseShare& m, Out& out) {
  released(find(holders_, from, m.number), m.baton, out);
}

void Central::released(Holders::iterator holder, const Baton& baton, Out& out) {
  if (holder == holders_.end()) return;  // it was suspected, so its lock may be another's now
  bool written = holder->wish.mode == Mode::write && !holder->cancelled;
  if (written) batons_.set(holder->wish.range, baton);
  holders_.erase(holder);
  grant_all(out);
}

void Central::receive(NodeId from, const Cancel& m, Out& out) {
  auto holder = find(holders_, from, m.number);
  auto waiter = find(queue_, from, m.number);
  bool granted = holder != holders_.end();
  bool waited = waiter != queue_.end();
  bool to_come = !granted && !waited && !suspected_.contains(from);
  if (to_come) cancelled_.insert({from, m.number});
  if (granted) holder->cancelled = true;
  if (waited) queue_.erase(waiter);
  tell(from, Cancelled{m.number, granted}, out);
  grant_all(out);
}

/// A crashed writer left the data unchanged. Its fence is used up, though: every later grant, also
/// to a reader, must have a larger one.
void Central::suspect(NodeId node, Out& out) {
  if (self_ != server_) return;
  suspected_.insert(node);
  for (const Holder& holder : holders_) {
    if (holder.client != node || holder.wish.mode == Mode::read) continue;
    batons_.update(holder.wish.range, [&](const Baton& baton) {
      return Baton{holder.fence, baton.data};
    });
  }
  auto is_its = [&](const auto& claim) { return claim.client == node; };
  std::erase_if(holders_, is_its);
  std::erase_if(queue_, is_its);
  grant_all(out);
}

}  // namespace conch
