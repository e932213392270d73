// `conch bench group`: what it costs a group to have many members.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace conch::cli {

inline constexpr std::size_t bench_members_max = 2000;

struct GroupBenchOptions {
  std::vector<std::size_t> members{8, 25, 50, 100};
  std::string algorithm = "naimi-trehel";
  double seconds = 2;
};

/// Prints a table. Throws TimedOut if a group does not come together, or does not part.
void bench_group(const GroupBenchOptions& options);

}  // namespace conch::cli
