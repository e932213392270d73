// Proxy: Naimi-Trehel that asks within its cluster first.
//
// Source: [Bertier 2004, section 3.1 and fig. 3].
//
// Assumes what Naimi-Trehel assumes, and that the members of a cluster know its proxy, its first
// member.
//
// State and messages are those of Naimi-Trehel; only the node to ask first differs. In the cluster
// of the elected node, which has the token, it is the elected node. In any other cluster it is the
// proxy. The proxy asks the elected node (not itself) and from then on remembers the last
// requester, as every node does, so later requests of the cluster stay in it. A newcomer points at
// its contact. A node always asks its owner (not its proxy).
//
// With more than two levels of labels the proxy of a rack asks that of its site.
#pragma once

#include "mutex/naimi_trehel.hpp"

namespace conch {

class Proxy : public NaimiTrehel {
 public:
  static constexpr About about{
      .name = "proxy",
      .family = "token",
      .source = "[Bertier 2004, fig. 3]",
      .messages = "0 or O(log N) mean, fewer between clusters",
      .client_delay = "O(log N) mean",
      .sync_delay = "1",
      .leave_needs_fifo = true,
      .minds_clusters = true,
  };

  Proxy(NodeId self, const Assignment& start);
};

}  // namespace conch
