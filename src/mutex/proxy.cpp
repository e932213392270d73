#include "mutex/proxy.hpp"

#include "mutex/hierarchy.hpp"

namespace conch {

static_assert(Exclusive<Proxy> && TokenBased<Proxy> && Dynamic<Proxy>);

Proxy::Proxy(NodeId self, const Assignment& start) : NaimiTrehel(self, start) {
  if (owner_) owner_ = first_owner(self, start);
}

}  // namespace conch
