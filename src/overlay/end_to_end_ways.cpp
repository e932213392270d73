// The nodes between a holder and the replicas: entries that intercept requests, and the paths back
// to the replicas.
#include "overlay/end_to_end.hpp"

namespace conch::overlay {

using namespace e2e;

Passage EndToEnd::forward(Key, Message& message, NodeId next, Out& out) {
  return std::visit(
      [&]<class M>(M& m) {
        if constexpr (requires { pass(m, next, out); })
          return pass(m, next, out);
        else
          return Passage::go_on;
      },
      message);
}

Passage EndToEnd::pass(const Request& m, NodeId, Out& out) {
  observe(m.ts);
  if (entry_ && entry_->term.generation < m.least) entry_.reset();
  if (!entry_ || m.forced) return Passage::go_on;
  Enqueue message{{m.ts}, entry_->term};
  entry_->node == self_ ? take(self_, message, out) : out.send(entry_->node, message);
  return Passage::stop;
}

Passage EndToEnd::pass(Winner& m, NodeId next, Out&) {
  note(m.term, m.ts.node);
  if (entry_ && entry_->term == m.term) ways_[m.replica] = {next, m.via};
  m.via = self_;
  return Passage::go_on;
}

Passage EndToEnd::pass(const Release& m, NodeId, Out&) {
  if (entry_ && entry_->term.generation <= m.term.generation) entry_.reset();
  ways_.erase(m.replica);
  return Passage::go_on;
}

Passage EndToEnd::pass(const Cleanup& m, NodeId, Out&) {
  if (entry_ && entry_->term <= m.term) entry_.reset(), ways_.erase(m.replica);
  return Passage::go_on;
}

/// Records the holder of this term, unless the entry is newer.
void EndToEnd::note(Term term, NodeId holder) {
  if (!entry_ || entry_->term <= term) entry_ = Place{holder, term};
}

void EndToEnd::take(NodeId, const Hint& m, Out&) {
  if (entry_ && entry_->term <= m.term) entry_->node = m.holder, entry_->term = m.term;
  if (went_ && went_->term <= m.term) went_ = Place{m.holder, m.term};
  if (copy_ && copy_->edition.term <= m.term) copy_->holder = m.holder;
  for (auto& [index, replica] : served_) {
    bool same = replica.mode == Mode::locked && replica.generation == m.term.generation;
    if (same && replica.term < m.term) replica.term = m.term, replica.owner.node = m.holder;
  }
}

/// Sends a message to the replica along the path of the winner's message; routes it if that path is
/// not known.
template <class M>
void EndToEnd::along(Index replica, const M& message, Out& out) {
  auto way = ways_.find(replica);
  std::optional<NodeId> next = way == ways_.end() ? std::nullopt : way->second.next;
  pass(message, self_, out);
  next ? out.send(*next, message) : out.route(replicas_.key(replica), message);
}
template void EndToEnd::along(Index, const Release&, Out&);
template void EndToEnd::along(Index, const Cleanup&, Out&);

/// A dead node breaks the paths through it: the node before it routes WINNER again to rebuild them.
void EndToEnd::suspect(NodeId node, Out& out) {
  if (went_ && policy_->comes_back(went_->node == node)) reclaim({went_->term, {}, {}, data_}, out);
  for (auto way = ways_.begin(); way != ways_.end();) {
    bool broken = way->second.next == node;
    if (broken && entry_ && entry_->node != node)
      out.route(replicas_.key(way->first),
                Winner{way->first, entry_->term, {clock_, entry_->node}, 0, self_});
    way = broken ? ways_.erase(way) : std::next(way);
  }
}

}  // namespace conch::overlay
