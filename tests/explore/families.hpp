// All families of tasks that take a seed. A family draws only options for which, by the catalogue,
// the algorithm keeps its promises.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "explore/outcome.hpp"
#include "explore/share.hpp"
#include "explore/task.hpp"

namespace conch::explore {

struct Family {
  std::string name;
  Speaker speaker = Speaker::conch;
  std::function<Task(Random&)> draw;
  /// The intended duration of a task, from which its number of seeds follows.
  double task_s = 2;
  unsigned at_once_max = 1000;
};

/// The programs that explore runs.
struct Programs {
  std::string conch;
  std::string chaos;
  std::vector<std::string> fuzz;
};

/// Algorithms whose promises hold, or specimens, which break theirs.
enum class Whose : std::uint8_t { real, specimens };

std::vector<Family> families(const Programs& programs, Whose whose);

}  // namespace conch::explore
