// Proxy: Naimi-Trehel that asks within its cluster first.
//
// Source: Bertier, Arantes, Sens 2004 (INRIA RR-5177), section 3.1 and figure 3.
//
// Assumes what Naimi-Trehel assumes, and that every cluster's members know its first one, the
// proxy.
//
// State and messages are those of Naimi-Trehel; only whom a node asks first differs. In the
// cluster of the elected node, which has the token, that is the elected node. In any other it is
// the cluster's proxy, which asks the elected node (F2: not itself) and from then on remembers who
// asked last, as every node does: later requests of the cluster stay in it. A newcomer points at
// its contact. A node asks its owner and nobody else, each time (F3: not its proxy).
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
      .source = "Bertier, Arantes, Sens 2004, fig. 3",
      .messages = "0 or O(log N) mean, fewer between clusters",
      .client_delay = "O(log N) mean",
      .sync_delay = "1",
      .leave_needs_fifo = true,
      .minds_clusters = true,
  };

  Proxy(NodeId self, const Assignment& start);

  void request(Out& out);

 private:
  /// Of a specimen that asks its proxy whenever its owner is remote.
  std::optional<NodeId> asked_each_time_;
  Clusters clusters_;
};

}  // namespace conch
