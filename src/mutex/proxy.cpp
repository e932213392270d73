#include "mutex/proxy.hpp"

#include "mutex/hierarchy.hpp"

namespace conch {

static_assert(Exclusive<Proxy> && TokenBased<Proxy> && Dynamic<Proxy>);

Proxy::Proxy(NodeId self, const Assignment& start)
    : NaimiTrehel(self, start), clusters_(start.clusters) {
  if (owner_) owner_ = first_owner(self, start, start.tuning.without != Without::elected);
  std::vector<NodeId> firsts = clusters_.firsts_of(self);
  bool specimen = start.tuning.without == Without::own_owner;
  if (specimen && !firsts.empty() && firsts.back() != self) asked_each_time_ = firsts.back();
}

void Proxy::request(Out& out) {
  bool remote = owner_ && !clusters_.together(self_, *owner_);
  if (remote && asked_each_time_) owner_ = asked_each_time_;
  NaimiTrehel::request(out);
}

}  // namespace conch
