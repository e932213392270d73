// Naimi-Trehel without one of its rules. Each specimen shows what a correction of the printed text,
// or of our own additions, is for.
#pragma once

#include "mutex/naimi_trehel.hpp"

namespace conch {

/// Figure 1 of [Bertier 2004] as printed: an idle holder that sends the token away
/// does not point its owner at the requester, so it takes itself for the tail and enters again.
class NaimiTrehelIdleOwner : public NaimiTrehel {
 public:
  static constexpr About about = broken(NaimiTrehel::about, "naimi-trehel@idle-owner",
                                        "[Bertier 2004, fig. 1] as printed", "ME1");

  using NaimiTrehel::NaimiTrehel;
  using NaimiTrehel::receive;

  void request(Out& out);
  void receive(NodeId from, const Request& m, Out& out);
};

/// A waiter that cancels still asks a node ahead of it that has said farewell meanwhile. The
/// failure needs three nodes that cancel and a holder, more than the checker explores. Random runs
/// catch it, so it is not in the catalogue.
class NaimiTrehelAsksTheDeparted : public NaimiTrehel {
 public:
  static constexpr About about =
      broken(NaimiTrehel::about, "naimi-trehel@departed",
             "our cancel, without what a farewell takes back", "no message to nobody");

  using NaimiTrehel::NaimiTrehel;
  using NaimiTrehel::receive;

  void receive(NodeId from, const Farewell& m, Out& out);
};

}  // namespace conch
