// The bully without one of its rules; bully.hpp says what each rule is for.
#pragma once

#include "election/bully.hpp"

namespace conch {

/// Waits for ever for a coordinator that is not announced.
class BullySecondElection : public Bully {
 public:
  static constexpr About about =
      broken(Bully::about, "bully@second-election",
             "[Coulouris 2011, section 15.3], without \"begins another\"", "E2",
             {.nodes = 3, .crashes = 1});

  using Bully::Bully;
  void timer(TimerId timer, Out& out);
};

/// Does not listen when it restarts: it begins, or asks, at once.
class BullyListening : public Bully {
 public:
  static constexpr About about =
      broken(Bully::about, "bully@listening", "[Coulouris 2011, section 15.3] as printed", "E1",
             {.nodes = 3, .crashes = 1, .restarts = 1});

  using Bully::Bully;
  void restart(Out& out);
};

/// Begins another election for an ELECTION that comes late.
class BullyRound : public Bully {
 public:
  static constexpr About about =
      broken(Bully::about, "bully@round", "[Coulouris 2011, section 15.3] as printed", "E2",
             {.nodes = 16, .timed = true});

  using Bully::Bully;
  using Bully::receive;
  void receive(NodeId from, const Election& m, Out& out);
};

}  // namespace conch
