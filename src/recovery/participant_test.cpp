#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "mutex/central.hpp"
#include "mutex/elmp.hpp"
#include "mutex/naimi_trehel.hpp"
#include "mutex/ring.hpp"
#include "recovery/steward.hpp"

namespace conch::recovery {

TEST(Compile, x) {
  Participant<NaimiTrehel> p({NodeId{1}, Incarnation{1}}, "", {"naimi-trehel", {}, Rule::none});
  Participant<Central> c({NodeId{1}, Incarnation{1}}, "", {"central", {}, Rule::none});
  Participant<Elmp> e({NodeId{1}, Incarnation{1}}, "", {"elmp", {}, Rule::none});
  Participant<Ring> r({NodeId{1}, Incarnation{1}}, "", {"ring", {}, Rule::none});
  PeerOrders<NaimiTrehel> out;
  p.request("a", {}, out);
  p.learn({p.admission({}), {}}, out);
  EXPECT_EQ(p.stage(), Stage::working);
  EXPECT_EQ(p.doing("a"), Doing::inside);
  hash64(p);
  p.forget_idle();
  PeerOrders<Elmp> eo;
  e.learn({}, eo);
  e.forget_idle();
  e.timer("a", Epoch{1}, TimerId{}, eo);
  PeerOrders<Central> co;
  c.learn({}, co);
  c.forget_idle();
  PeerOrders<Ring> ro;
  r.learn({}, ro);
  r.forget_idle();
}
}  // namespace conch::recovery
namespace conch::recovery {
template class Steward<NaimiTrehel>;
template class Steward<Ring>;
template class Steward<Elmp>;
}  // namespace conch::recovery
