#include "overlay/non_end_to_end.hpp"

#include <algorithm>
#include <utility>

namespace conch::overlay {

static_assert(RoutedProtocol<NonEndToEnd>);

namespace {

void add(std::vector<Priority>& gathered, const FlatSet<Priority>& queue) {
  FlatSet<Priority> all(gathered.begin(), gathered.end());
  for (const Priority& request : queue) all.insert(request);
  gathered.assign(all.begin(), all.end());
}

template <class M>
constexpr bool gathers = requires(const M& m) {
  m.gathered;
};

}  // namespace

// At the requester, whose own entry is the first on the path.

/// Calls Voting, and treats what it routes as the nodes on the path will.
template <class Call>
void NonEndToEnd::act(Out& out, Call&& call) {
  std::size_t before = out.routes().size();
  call();
  auto first = out.routes().begin() + static_cast<std::ptrdiff_t>(before);
  std::vector<Out::Route> routes(std::make_move_iterator(first),
                                 std::make_move_iterator(out.routes().end()));
  out.routes().resize(before);
  for (Out::Route& route : routes)
    if (sets_out(route.message, out)) out.route(route.key, std::move(route.message));
}

bool NonEndToEnd::sets_out(Message& message, Out& out) {
  if (auto* m = std::get_if<Request>(&message)) {
    if (m->ts.node != self_) return true;
    auto [entry, fresh] = entries_.try_emplace(m->replica, Entry{m->ts, {}, {}, {}});
    if (fresh || m->forced || entry->second.hint.node == self_) {
      if (entry->second.hint.node == self_) entry->second.hint = m->ts;
      return true;
    }
    entry->second.queue.insert(m->ts);
    out.send(self_, Response{m->replica, m->ts, entry->second.hint, 0, 0, 1, {}});
    return false;
  }
  Passage passage = Passage::go_on;
  std::visit(
      [&]<class M>(M& m) {
        if constexpr (gathers<M>) passage = gather(m, std::nullopt, out);
      },
      message);
  return passage == Passage::go_on;
}

void NonEndToEnd::request(Out& out) {
  act(out, [&] { Voting::request(out); });
}
void NonEndToEnd::release(const DataRef& data, Out& out) {
  act(out, [&] { Voting::release(data, out); });
}
void NonEndToEnd::cancel(Out& out) {
  act(out, [&] { Voting::cancel(out); });
}
void NonEndToEnd::timer(TimerId timer, Out& out) {
  if (timer == timer_of(Alarm::keep)) return kept_.clear();
  act(out, [&] { Voting::timer(timer, out); });
}
void NonEndToEnd::unreachable(NodeId node, const Message& message, Out& out) {
  Voting::unreachable(node, message, out);
}

// At the nodes on the path.

Passage NonEndToEnd::forward(Key, Message& message, NodeId next, Out& out) {
  return std::visit(
      [&]<class M>(M& m) {
        if constexpr (std::same_as<M, Request>)
          return pass(m, next, out);
        else if constexpr (gathers<M>)
          return gather(m, next, out);
        else
          return Passage::go_on;
      },
      message);
}

Passage NonEndToEnd::pass(Request& m, NodeId next, Out& out) {
  auto [place, fresh] = entries_.try_emplace(m.replica, Entry{m.ts, {}, next, m.via});
  Entry& entry = place->second;
  bool waits_here = !fresh && entry.hint != m.ts && !m.forced;
  if (waits_here) {
    entry.queue.insert(m.ts);
    out.send(m.ts.node, Response{m.replica, m.ts, entry.hint, 0, 0, 1, {}});
    return Passage::stop;
  }
  if (entry.hint == m.ts) entry.next = next, entry.previous = m.via;
  m.via = self_;
  return Passage::go_on;
}

/// YIELD, RELEASE and CLEANUP take along the requests that wait here. Where the winner's path and
/// the overlay's differ, they follow the winner's.
template <class M>
Passage NonEndToEnd::gather(M& m, std::optional<NodeId> next, Out& out) {
  constexpr bool releases = std::same_as<M, Release>;
  auto found = entries_.find(m.replica);
  if (found == entries_.end()) return releases && next ? policy_->off_the_way() : Passage::go_on;
  Entry& entry = found->second;
  if constexpr (releases) {
    if (!policy_->may_have_voted(m.voted) && entry.queue.erase(m.ts)) {
      for (const Priority& request : m.gathered) entry.queue.insert(request);
      return Passage::stop;
    }
  }
  add(m.gathered, entry.queue);
  entry.queue.clear();
  if constexpr (!std::same_as<M, Cleanup>) std::erase(m.gathered, m.ts);
  std::optional<NodeId> way = entry.next;
  if constexpr (!std::same_as<M, Yield>) entries_.erase(found);
  if (!way) way = next;
  if (terms_.lease > Duration::zero() && !m.gathered.empty() && way) {
    kept_[m.replica] = {m.gathered, *way};
    out.arm(timer_of(Alarm::keep), terms_.lease, terms_.lease);
  }
  if (!next || way == next) return Passage::go_on;
  out.send(*way, m);
  return Passage::stop;
}

void NonEndToEnd::receive(NodeId from, const Message& message, Out& out) {
  Message copy = message;
  bool passes = std::visit(
      [&]<class M>(M& m) {
        if constexpr (gathers<M>) {
          if (serves(m.replica)) return true;
          return gather(m, std::nullopt, out) == Passage::go_on;
        }
        return true;
      },
      copy);
  if (passes) act(out, [&] { Voting::receive(from, copy, out); });
}

/// A leaving node sends the requests that wait in its entries on to the replicas.
void NonEndToEnd::moved(const std::optional<Arc>& before, const std::optional<Arc>& after,
                        Out& out) {
  Voting::moved(before, after, out);
  if (after) return;
  for (const auto& [index, entry] : std::exchange(entries_, {}))
    if (!entry.queue.empty())
      out.route(replicas_.key(index), Cleanup{index, {entry.queue.begin(), entry.queue.end()}});
}

/// The path is broken: the node before the dead one makes a new path, the node behind it clears the
/// old one up.
void NonEndToEnd::suspect(NodeId node, Out& out) {
  for (auto& [index, entry] : entries_) {
    if (entry.next != node) continue;
    entry.next.reset();
    out.route(replicas_.key(index), Request{index, entry.hint, 0, 0, false, self_});
  }
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    auto place = entry++;
    if (place->second.previous != node) continue;
    Cleanup message{place->first, {}};
    gather(message, std::nullopt, out);
    if (!message.gathered.empty()) out.route(replicas_.key(message.replica), message);
  }
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    auto place = kept++;
    if (place->second.next != node) continue;
    out.route(replicas_.key(place->first), Cleanup{place->first, place->second.gathered});
    kept_.erase(place);
  }
}

}  // namespace conch::overlay
