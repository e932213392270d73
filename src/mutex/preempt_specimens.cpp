#include "mutex/preempt_specimens.hpp"

namespace conch {

static_assert(Exclusive<PreemptTail> && Exclusive<PreemptRemoteNext>);

void PreemptTail::receive(NodeId from, const Queue& m, Out& out) {
  bool follows = requesting_ && !next_;
  std::optional<NodeId> owner = owner_;
  Preempt::receive(from, m, out);
  if (follows) owner_ = owner;
}

void PreemptRemoteNext::receive(NodeId from, const Queue& m, Out& out) {
  bool forgets = requesting_ && next_ && !local(*next_);
  if (!forgets) return Preempt::receive(from, m, out);
  nb_.merge(m.nb);
  next_ = m.head;
}

}  // namespace conch
