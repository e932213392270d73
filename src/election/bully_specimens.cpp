#include "election/bully_specimens.hpp"

namespace conch {

static_assert(Restarting<BullySecondElection> && Restarting<BullyListening>);
static_assert(Restarting<BullyRound>);

void BullySecondElection::timer(TimerId timer, Out& out) {
  if (stance_ != Stance::waiting) Bully::timer(timer, out);
}

void BullyListening::restart(Out& out) {
  Bully::restart(out);
  polite() ? ask(out) : begin_anew(out);
}

/// Handles the ELECTION as if nothing had been decided.
void BullyRound::receive(NodeId from, const Election& m, Out& out) {
  if (!retired_) elected_.reset();
  Bully::receive(from, m, out);
}

}  // namespace conch
