#include "catalog/stewards.hpp"

namespace conch::recovery {

#define CONCH_LISTED(algorithm) std::declval<std::tuple<algorithm>>(),
using Listed = decltype(std::tuple_cat(CONCH_FOR_REAL_ALGORITHMS(CONCH_LISTED) std::tuple<>{}));
static_assert(std::is_same_v<Listed, RealAlgorithms>, "the list is another than the catalogue's");
#undef CONCH_LISTED

#define CONCH_DEFINE(algorithm)          \
  template class Participant<algorithm>; \
  template class Steward<algorithm>;
CONCH_FOR_REAL_ALGORITHMS(CONCH_DEFINE)
#undef CONCH_DEFINE

}  // namespace conch::recovery
