// Naimi-Trehel with one rule taken away: what the corrections of the printed text are for.
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

}  // namespace conch
