// The algorithms that chaos runs.
#pragma once

#include <string>
#include <vector>

namespace conch::chaos {

inline const std::vector<std::string> algorithms{"naimi-trehel", "elmp", "preempt-aggregation",
                                                 "end-to-end"};

}  // namespace conch::chaos
