// Letters as names of nodes, for tests that follow a paper's story.
#pragma once

#include "core/types.hpp"

namespace conch::testing {

inline constexpr NodeId a{0}, b{1}, c{2}, d{3}, e{4}, f{5};

}  // namespace conch::testing
