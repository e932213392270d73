#include "catalog/stewards.hpp"

namespace conch::recovery {

template <class, class... As>
using Listed = std::tuple<As...>;
#define CONCH_LISTED(algorithm) , algorithm
static_assert(std::is_same_v<Listed<void CONCH_FOR_REAL_ALGORITHMS(CONCH_LISTED)>, RealAlgorithms>,
              "the list is another than the catalogue's");
#undef CONCH_LISTED

#define CONCH_DEFINE(algorithm)          \
  template class Participant<algorithm>; \
  template class Steward<algorithm>;
CONCH_FOR_REAL_ALGORITHMS(CONCH_DEFINE)
#undef CONCH_DEFINE

}  // namespace conch::recovery
