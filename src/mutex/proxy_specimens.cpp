#include "mutex/proxy_specimens.hpp"

namespace conch {

static_assert(Exclusive<ProxyElected> && Exclusive<ProxyOwnOwner>);

ProxyElected::ProxyElected(NodeId self, const Assignment& start) : Proxy(self, start) {
  std::vector<NodeId> firsts = start.clusters.firsts_of(self);
  bool is_proxy = !firsts.empty() && firsts.back() == self;
  if (is_proxy && !start.clusters.together(self, start.home)) owner_ = self;
}

void ProxyOwnOwner::request(Out& out) {
  std::vector<NodeId> firsts = clusters_.firsts_of(self_);
  bool is_remote = owner_ && !clusters_.together(self_, *owner_);
  if (is_remote && !firsts.empty() && firsts.back() != self_) owner_ = firsts.back();
  Proxy::request(out);
}

}  // namespace conch
