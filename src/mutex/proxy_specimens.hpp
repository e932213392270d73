// Proxy without one of its corrections to [Bertier 2004].
#pragma once

#include "mutex/proxy.hpp"

namespace conch {

/// A proxy asks itself first.
class ProxyElected : public Proxy {
 public:
  static constexpr About about =
      broken(Proxy::about, "proxy@elected", "[Bertier 2004, fig. 3]", "ME2", {.clusters = {1, 1}});

  ProxyElected(NodeId self, const Assignment& start);
};

/// A node whose owner is remote asks its proxy every time.
class ProxyOwnOwner : public Proxy {
 public:
  static constexpr About about =
      broken(Proxy::about, "proxy@own-owner", "[Bertier 2004, section 3]", "ME2",
             {.requests = 2, .clusters = {1, 2}});

  ProxyOwnOwner(NodeId self, const Assignment& start)
      : Proxy(self, start), clusters_(start.clusters) {}

  void request(Out& out);

 private:
  Clusters clusters_;
};

}  // namespace conch
