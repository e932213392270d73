#include "mutex/naimi_trehel_specimens.hpp"

namespace conch {

static_assert(Exclusive<NaimiTrehelIdleOwner> && TokenBased<NaimiTrehelIdleOwner>);
static_assert(Dynamic<NaimiTrehelAsksTheDeparted>);

void NaimiTrehelIdleOwner::request(Out& out) {
  if (owner_ || token_) return NaimiTrehel::request(out);
  wanted_ = true;
  enter(out);
}

void NaimiTrehelIdleOwner::receive(NodeId from, const Request& m, Out& out) {
  bool idle_holder = token_ && place_ == Place::none;
  NaimiTrehel::receive(from, m, out);
  if (idle_holder) owner_.reset();
}

void NaimiTrehelAsksTheDeparted::receive(NodeId from, const Farewell& m, Out& out) {
  bool ahead = withdrawal_ && withdrawal_->ahead.contains(from);
  NaimiTrehel::receive(from, m, out);
  if (ahead) withdrawal_->ahead.insert(from);
}

}  // namespace conch
