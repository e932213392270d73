// Naimi-Trehel with one rule taken away: what the corrections of the printed text, and of our own
// additions to it, are for.
#pragma once

#include "mutex/naimi_trehel.hpp"

namespace conch {

/// Figure 1 of Bertier, Arantes, Sens 2004 as printed: an idle holder that sends the token away
/// does not point its owner at the requester, and enters again because it believes to be the tail.
class NaimiTrehelIdleOwner : public NaimiTrehel {
 public:
  static constexpr About about{
      .name = "naimi-trehel@idle-owner",
      .family = "token",
      .source = "Bertier, Arantes, Sens 2004, fig. 1 as printed",
      .messages = NaimiTrehel::about.messages,
      .client_delay = NaimiTrehel::about.client_delay,
      .sync_delay = NaimiTrehel::about.sync_delay,
      .leave_needs_fifo = true,
      .use = Use::specimen,
      .caught_by = "ME1",
  };

  using NaimiTrehel::NaimiTrehel;
  using NaimiTrehel::receive;

  void request(Out& out);
  void receive(NodeId from, const Request& m, Out& out);
};

/// Who cancels asks those who say to be ahead of it one after the other, and still asks one that
/// has bid farewell meanwhile. It takes three who cancel and a holder, more than the checker
/// explores: random runs catch it, and it is not in the catalogue.
class NaimiTrehelAsksTheDeparted : public NaimiTrehel {
 public:
  static constexpr About about{
      .name = "naimi-trehel@departed",
      .family = "token",
      .source = "our cancel, without what a farewell takes back",
      .messages = NaimiTrehel::about.messages,
      .client_delay = NaimiTrehel::about.client_delay,
      .sync_delay = NaimiTrehel::about.sync_delay,
      .leave_needs_fifo = true,
      .use = Use::specimen,
      .caught_by = "no message to nobody",
  };

  using NaimiTrehel::NaimiTrehel;
  using NaimiTrehel::receive;

  void receive(NodeId from, const Farewell& m, Out& out);
};

}  // namespace conch
