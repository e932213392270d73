// The recovery of every algorithm that runs for real, compiled once: it takes a compiler longer
// than all that is made of it.
#pragma once

#include "catalog/classes.hpp"
#include "recovery/steward.hpp"

#define CONCH_FOR_REAL_ALGORITHMS(apply)                                                         \
  apply(Central) apply(Ring) apply(RingIdleHold) apply(RicartAgrawala) apply(RicartAgrawalaKept) \
      apply(Maekawa) apply(Lamport) apply(SuzukiKasami) apply(Raymond) apply(NaimiTrehel)        \
          apply(Proxy) apply(Preempt) apply(PreemptAggregation) apply(Elmp)

namespace conch::recovery {

#define CONCH_DECLARE(algorithm)                \
  extern template class Participant<algorithm>; \
  extern template class Steward<algorithm>;
CONCH_FOR_REAL_ALGORITHMS(CONCH_DECLARE)
#undef CONCH_DECLARE

}  // namespace conch::recovery
