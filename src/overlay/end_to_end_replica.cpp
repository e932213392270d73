// The replica: votes, records the holder, and finds a new one when the holder is silent.
#include <algorithm>
#include <utility>

#include "overlay/end_to_end.hpp"

namespace conch::overlay {

using namespace e2e;

EndToEnd::Replica& EndToEnd::serve(Index index, Out& out) {
  tenure_.serve(index, self_, out);
  auto [place, fresh] = served_.try_emplace(index);
  if (fresh) place->second.unused = generation_after(tenure_.origin());
  return place->second;
}

void EndToEnd::answer(Index index, const Replica& replica, const Priority& request, Out& out) {
  std::optional<Priority> owner;
  if (replica.mode != Mode::free) owner = replica.owner;
  out.send(request.node, Response{index, request, replica.generation, owner, replica.version,
                                  replica.vote, replica.data});
}

void EndToEnd::watch(Index index, Duration time, Out& out) {
  if (leased() && policy_->watches_holders()) out.arm(timer_of(Alarm::lease, index), time, time);
}

// Voting.

/// Votes for the earliest waiter.
void EndToEnd::vote(Index index, Replica& replica, Out& out) {
  replica.mode = Mode::free;
  turn(replica, replica.next());
  ++replica.version;
  out.disarm(timer_of(Alarm::lease, index));
  if (replica.waiting.empty() || !tenure_.open(index)) return;
  replica.owner = replica.waiting.front();
  replica.waiting.erase(replica.owner);
  replica.mode = Mode::voted;
  replica.vote = replica.version;
  watch(index, with_drift(terms_.lease), out);
  answer(index, replica, replica.owner, out);
}

/// Enters a generation. Requests that waited for a later generation now wait for this one.
void EndToEnd::turn(Replica& replica, std::uint64_t generation) {
  if (std::exchange(replica.generation, generation) == generation) return;
  for (const Priority& request : std::exchange(replica.later, {})) replica.waiting.insert(request);
}

void EndToEnd::advance(Index index, Replica& replica, std::uint64_t generation, Out& out) {
  if (replica.mode == Mode::voted)
    for (const Priority& request : policy_->overridden(replica.owner))
      replica.waiting.insert(request);
  turn(replica, generation);
  replica.claim.reset();
  vote(index, replica, out);
}

void EndToEnd::serve(Replica& replica, const Request& m, Out& out) {
  observe(m.ts);
  replica.version = std::max(replica.version, m.seen);
  if (m.data.version > replica.data.version) replica.data = m.data;
  bool held = replica.used();
  if (m.least > replica.generation) {
    // Only its holder or its lease closes a locked generation; hearsay does not. A lock in constant
    // demand never closes, so a forced request also goes to the holder.
    bool is_told = held && m.forced && replica.mode == Mode::locked && replica.owner != m.ts;
    if (is_told) out.send(replica.owner.node, Enqueue{{m.ts}, replica.term});
    if (held) return void(replica.later.insert(m.ts));
    advance(m.replica, replica, m.least, out);
  }
  if (held && replica.owner == m.ts) return;
  if (replica.mode == Mode::locked) return tell_holder(replica, {m.ts}, out);
  bool owner = replica.mode == Mode::voted && replica.owner == m.ts;
  bool yield_was_lost = owner && replica.vote <= m.yielded;
  if (!owner || yield_was_lost) replica.waiting.insert(m.ts);
  if (replica.mode == Mode::free || yield_was_lost) {
    vote(m.replica, replica, out);
    if (replica.mode == Mode::voted && replica.owner == m.ts) return;
  }
  if (replica.mode != Mode::orphaned) answer(m.replica, replica, m.ts, out);
}

void EndToEnd::serve(Replica& replica, const Yield& m, Out& out) {
  bool current = policy_->is_current(replica.vote, m.vote);
  switch (replica.mode) {
    case Mode::locked:
      if (replica.owner != m.ts) tell_holder(replica, policy_->overridden(m.ts), out);
      return;
    case Mode::orphaned: return void(replica.waiting.insert(m.ts));
    case Mode::free: break;
    case Mode::voted:
      if (replica.owner != m.ts || !current) break;
      replica.waiting.insert(m.ts);
      vote(m.replica, replica, out);
      if (replica.mode == Mode::voted && replica.owner == m.ts) return;
      break;
  }
  answer(m.replica, replica, m.ts, out);
}

void EndToEnd::serve(Replica& replica, const Withdraw& m, Out& out) {
  replica.waiting.erase(m.ts);
  replica.later.erase(m.ts);
  if (replica.owner != m.ts || replica.mode == Mode::free) return;
  bool unused =
      replica.mode == Mode::locked && leased() && replica.term == first_term(replica.generation);
  if (replica.mode == Mode::voted || unused) vote(m.replica, replica, out);
}

// Being locked.

/// Within a generation only one chain of holders can get past the first term, so a later term
/// belongs to the next holder. A later generation has been agreed on by a majority.
bool EndToEnd::yields_to(const Replica& replica, Term term, const Priority& ts) const {
  if (term.generation + 1 < replica.unused) return false;
  if (term.generation != replica.generation) return term.generation > replica.generation;
  if (replica.mode == Mode::free || replica.mode == Mode::voted) return true;
  return term > replica.term || (term == replica.term && replica.owner.node == ts.node);
}

void EndToEnd::tell_holder(const Replica& replica, std::vector<Priority> requests, Out& out) {
  requests = policy_->told_to_holder(std::move(requests));
  if (!requests.empty()) out.send(replica.owner.node, Enqueue{std::move(requests), replica.term});
}

void EndToEnd::lock(Index index, Replica& replica, Term term, const Priority& ts, Out& out) {
  if (replica.mode == Mode::voted && replica.owner != ts)
    for (const Priority& request : policy_->overridden(replica.owner))
      replica.waiting.insert(request);
  turn(replica, term.generation);
  replica.mode = Mode::locked;
  replica.owner = ts;
  replica.term = term;
  ++replica.version;
  replica.claim.reset();
  watch(index, with_drift(terms_.lease), out);
  FlatSet<Priority> waiting = std::exchange(replica.waiting, {});
  waiting.erase(ts);
  tell_holder(replica, {waiting.begin(), waiting.end()}, out);
}

void EndToEnd::serve(Replica& replica, const Winner& m, Out& out) {
  bool known = replica.mode == Mode::locked && replica.term == m.term;
  if (m.round == 0 && leased() && (known || !tenure_.open(m.replica))) return;
  if (m.round > 0) return serve(replica, Renew{m.replica, m.term, m.ts, m.round, false}, out);
  if (yields_to(replica, m.term, m.ts)) lock(m.replica, replica, m.term, m.ts, out);
}

/// In quarantine, a replica believes a holder that is inside but does not confirm it. It ignores
/// other senders: their votes may have expired.
void EndToEnd::serve(Replica& replica, const Renew& m, Out& out) {
  if (!tenure_.open(m.replica) && !m.held) return;
  bool accepted = yields_to(replica, m.term, m.ts);
  if (accepted)
    lock(m.replica, replica, m.term, m.ts, out);
  else if (replica.mode == Mode::locked && m.term.generation == replica.generation)
    out.send(replica.owner.node, Enqueue{{m.ts}, replica.term});
  if (!accepted || tenure_.confirms(m.replica, m.ts))
    out.send(m.ts.node, Renewed{m.replica, m.term, m.round, accepted, replica.generation});
}

void EndToEnd::serve(Replica& replica, const Release& m, Out& out) {
  if (m.data.version > replica.data.version) replica.data = m.data;
  if (m.term.generation >= replica.generation)
    advance(m.replica, replica, m.term.generation + 1, out);
}

void EndToEnd::serve(Replica&, const Cleanup&, Out&) {}

bool EndToEnd::ignores(const Replica& replica, const Winner& m) const {
  return m.round == 0 && !yields_to(replica, m.term, m.ts);
}
bool EndToEnd::ignores(const Replica& replica, const Release& m) const {
  return m.term.generation < replica.generation && m.data.version <= replica.data.version;
}

// A holder that is silent.

void EndToEnd::lease_ends(Index index, Out& out) {
  auto found = served_.find(index);
  if (found == served_.end()) return;
  Replica& replica = found->second;
  switch (replica.mode) {
    case Mode::free: return;
    case Mode::voted: return vote(index, replica, out);
    case Mode::locked: replica.mode = Mode::orphaned; return watch(index, terms_.lease / 2, out);
    case Mode::orphaned:
      if (!tenure_.open(index)) return watch(index, terms_.lease / 2, out);
      if (replica.claim && replica.next() == replica.generation + 1)
        return consent(index, replica, *replica.claim, out);
      return advance(index, replica, replica.next(), out);
  }
}

void EndToEnd::serve(Replica& replica, const Takeover& m, Out& out) {
  if (!tenure_.open(m.replica)) return;
  std::uint64_t over = m.edition.term.generation;
  if (over + 1 < replica.unused) return;
  if (replica.generation == over && replica.used()) {
    std::optional<Claim>& best = replica.claim;
    bool better =
        !best || m.edition > best->edition || (m.edition == best->edition && m.ts < best->ts);
    if (better) best = Claim{m.edition, m.ts};
  } else if (replica.generation == over + 1 && replica.mode == Mode::free) {
    consent(m.replica, replica, {m.edition, m.ts}, out);
  }
}

void EndToEnd::consent(Index index, Replica& replica, const Claim& claim, Out& out) {
  turn(replica, claim.edition.term.generation + 1);
  replica.mode = Mode::locked;
  replica.owner = claim.ts;
  replica.term = first_term(replica.generation);
  ++replica.version;
  watch(index, with_drift(terms_.lease), out);
  out.send(claim.ts.node, Accepted{index, replica.term, claim.ts});
  replica.claim.reset();
}

// Becoming a replica.

/// Answers with the first unused generation.
void EndToEnd::serve(Replica& replica, const Recall& m, Out& out) {
  tenure_.answer(m, Baton{Term{replica.next(), 0}.fence(), replica.data}, out);
}

void EndToEnd::take(NodeId, const Recalled& m, Out& out) {
  auto found = served_.find(m.forgotten);
  if (found == served_.end()) return;
  Replica& replica = found->second;
  replica.unused = std::max(replica.unused, Term::generation_at(m.baton.fence));
  if (m.baton.data.version > replica.data.version) replica.data = m.baton.data;
  if (tenure_.hear(m)) open(m.forgotten, out);
}

void EndToEnd::open(Index index, Out& out) {
  auto found = served_.find(index);
  if (found == served_.end() || !tenure_.open(index)) return;
  Replica& replica = found->second;
  // A locked replica already has the newest term, so it needs no new era.
  if (auto time = tenure_.doubts(index); time && replica.mode != Mode::locked)
    replica.unused = std::max(next_era(replica.next()), generation_after(*time));
  if (replica.mode == Mode::free) vote(index, replica, out);
}

void EndToEnd::serve(Replica& replica, const Moved& m, Out& out) {
  // Without a lease there is no quarantine: a replica that has not voted believes the old root.
  bool silent = leased() ? !tenure_.open(m.replica) : replica.version == 0;
  replica.version = std::max(replica.version, m.version);
  if (m.data.version > replica.data.version) replica.data = m.data;
  for (const Priority& request : m.waiting) replica.waiting.insert(request);
  if (silent && m.owner) tenure_.name(m.replica, *m.owner);
  replica.unused = std::max(replica.unused, m.generation + m.term.has_value());
  if (silent && replica.mode == Mode::free && m.generation >= replica.generation) {
    replica.generation = m.generation;
    replica.vote = m.vote;
    if (m.owner) {
      replica.mode = m.term ? Mode::locked : Mode::voted;
      replica.owner = *m.owner;
      replica.term = m.term.value_or(Term{});
      watch(m.replica, with_drift(terms_.lease), out);
    }
  }
  if (m.known) tenure_.learnt(m.replica);
  open(m.replica, out);
}

void EndToEnd::moved(const std::optional<Arc>& before, const std::optional<Arc>& after, Out& out) {
  for (Index index : tenure_.moved(before, after, self_, out)) {
    const Replica& replica = served_[index];
    FlatSet<Priority> waiting = replica.waiting;
    for (const Priority& request : replica.later) waiting.insert(request);
    Moved message{
        index,       tenure_.knows(index), replica.generation, {},
        {},          replica.version,      replica.vote,       {waiting.begin(), waiting.end()},
        replica.data};
    bool current = replica.next() == replica.generation + replica.used();
    if (replica.mode != Mode::free && current && tenure_.confirms(index, replica.owner)) {
      message.owner = replica.owner;
      if (replica.used()) message.term = replica.term;
    } else {
      message.generation = replica.next();
    }
    out.route(replicas_.key(index), message);
    tenure_.forget(index, out);
    served_.erase(index);
  }
}

}  // namespace conch::overlay
