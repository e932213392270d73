// The replica's side of votes.
#include <algorithm>

#include "overlay/voting.hpp"

namespace conch::overlay {

Voting::Replica& Voting::serve(Index replica, Out& out) {
  tenure_.serve(replica, self_, out);
  auto [place, fresh] = served_.try_emplace(replica);
  Baton& baton = place->second.baton;
  if (fresh) baton = {std::max(baton_.fence, tenure_.origin()), baton_.data};
  return place->second;
}

void Voting::answer(Index index, const Replica& replica, const Priority& request, Out& out) {
  auto ahead = std::count_if(replica.queue.begin(), replica.queue.end(),
                             [&](const Priority& other) { return other < request; });
  auto position = replica.owner == request ? 0 : static_cast<std::uint32_t>(ahead) + 1;
  out.send(request.node, Response{index, request, replica.owner, replica.version, replica.vote,
                                  position, replica.baton});
}

/// Votes for the earliest request. The last owner is gone.
void Voting::vote_on(Index index, Replica& replica, Out& out) {
  CONCH_EXPECT(!replica.owner, "a vote is given back before it is given again");
  ++replica.version;
  out.disarm(timer_of(Alarm::lease, index));
  if (replica.queue.empty() || !tenure_.open(index)) return;
  replica.owner = replica.queue.front();
  replica.vote = replica.version;
  replica.round = 0;
  replica.queue.erase(*replica.owner);
  watch(index, out);
  answer(index, replica, *replica.owner, out);
}

/// Arms the lease of the vote, which runs out unless its owner is heard of again.
void Voting::watch(Index index, Out& out) {
  Duration time = with_drift(terms_.lease);
  if (leased() && policy_->watches_holders()) out.arm(timer_of(Alarm::lease, index), time, time);
}

void Voting::merge(Replica& replica, const std::vector<Priority>& requests, const Priority* but) {
  for (const Priority& request : requests) {
    clock_ = std::max(clock_, request.stamp);
    if (replica.owner != request && !(but && *but == request)) replica.queue.insert(request);
  }
}

void Voting::serve(Replica& replica, const Request& m, Out& out) {
  clock_ = std::max(clock_, m.ts.stamp);
  replica.version = std::max(replica.version, m.seen);
  bool yield_was_lost = replica.owner == m.ts && replica.vote <= m.yielded;
  if (yield_was_lost) replica.owner.reset();
  if (replica.owner != m.ts) replica.queue.insert(m.ts);
  if (!replica.owner) {
    vote_on(m.replica, replica, out);
    if (replica.owner == m.ts) return;
  }
  answer(m.replica, replica, m.ts, out);
}

void Voting::serve(Replica& replica, const Yield& m, Out& out) {
  merge(replica, m.gathered, &m.ts);
  if (replica.owner == m.ts && policy_->is_current(replica.vote, m.vote)) {
    replica.owner.reset();
    replica.queue.insert(m.ts);
    vote_on(m.replica, replica, out);
    if (replica.owner == m.ts) return;
  } else if (!replica.owner) {
    vote_on(m.replica, replica, out);
  }
  answer(m.replica, replica, m.ts, out);
}

void Voting::serve(Replica& replica, const Release& m, Out& out) {
  replica.baton = later(replica.baton, m.baton);
  merge(replica, m.gathered, &m.ts);
  replica.queue.erase(m.ts);
  if (replica.owner == m.ts) replica.owner.reset();
  if (!replica.owner && !replica.queue.empty())
    vote_on(m.replica, replica, out);
  else if (!replica.owner)
    out.disarm(timer_of(Alarm::lease, m.replica));
}

void Voting::serve(Replica& replica, const Cleanup& m, Out& out) {
  merge(replica, m.gathered, nullptr);
  if (!replica.owner && !replica.queue.empty()) vote_on(m.replica, replica, out);
}

/// A replica that has forgotten its vote believes a holder's renewal, but does not confirm it. It
/// does not believe a candidate, whose vote may have run out before.
void Voting::serve(Replica& replica, const Renew& m, Out& out) {
  bool newest = m.baton.fence >= replica.baton.fence;
  if (!tenure_.open(m.replica) && m.held && newest && replica.owner != m.ts) {
    replica.owner = m.ts;
    replica.vote = m.vote;
    replica.round = 0;
    replica.version = std::max(replica.version, m.vote);
    tenure_.learnt(m.replica);
    replica.queue.erase(m.ts);
  }
  // If it were refused, its sender would begin another round, which could be overtaken, too.
  bool overtaken = replica.owner == m.ts && replica.vote == m.vote && m.round < replica.round;
  if (overtaken) return;
  bool is_owner = replica.owner == m.ts && policy_->is_current(replica.vote, m.vote);
  if (!policy_->confirms(is_owner && newest)) {
    replica.version = std::max(replica.version, m.vote) + 1;
    return answer(m.replica, replica, m.ts, out);
  }
  replica.round = m.round;
  replica.baton = policy_->stored(replica.baton, m.baton);
  watch(m.replica, out);
  if (tenure_.confirms(m.replica, m.ts)) out.send(m.ts.node, Renewed{m.replica, m.ts, m.round});
}

// Becoming a replica.

void Voting::serve(Replica& replica, const Recall& m, Out& out) {
  tenure_.answer(m, replica.baton, out);
}

void Voting::hear(const Recalled& m, Out& out) {
  auto found = served_.find(m.forgotten);
  if (found == served_.end()) return;
  found->second.baton = later(found->second.baton, m.baton);
  if (tenure_.hear(m)) open(m.forgotten, out);
}

/// Votes if the quarantine is over.
void Voting::open(Index index, Out& out) {
  auto found = served_.find(index);
  if (found == served_.end() || !tenure_.open(index)) return;
  Fence& fence = found->second.baton.fence;
  if (auto time = tenure_.doubts(index))
    fence = std::max(Fence(Epoch{fence.epoch().value + 1}, 0), *time);
  if (!found->second.owner) vote_on(index, found->second, out);
}

void Voting::serve(Replica& replica, const Moved& m, Out& out) {
  replica.baton = later(replica.baton, m.baton);
  // Without a lease there is no quarantine: a replica that has not voted believes the old root.
  bool silent = leased() ? !tenure_.open(m.replica) : replica.version == 0;
  replica.version = std::max(replica.version, m.version);
  if (silent && m.owner) tenure_.name(m.replica, *m.owner);
  if (silent && !replica.owner && m.owner) {
    replica.owner = m.owner;
    replica.vote = m.vote;
    replica.queue.erase(*m.owner);
    watch(m.replica, out);
  }
  merge(replica, m.queue, nullptr);
  if (m.known) tenure_.learnt(m.replica);
  open(m.replica, out);
}

void Voting::moved(const std::optional<Arc>& before, const std::optional<Arc>& after, Out& out) {
  for (Index index : tenure_.moved(before, after, self_, out)) {
    const Replica& replica = served_[index];
    std::optional<Priority> owner = replica.owner;
    if (owner && !tenure_.confirms(index, *owner)) owner.reset();
    out.route(replicas_.key(index), Moved{index,
                                          tenure_.knows(index),
                                          owner,
                                          replica.version,
                                          replica.vote,
                                          {replica.queue.begin(), replica.queue.end()},
                                          replica.baton});
    tenure_.forget(index, out);
    served_.erase(index);
  }
}

}  // namespace conch::overlay
