// Everything that takes a seed, by family: what is drawn for it, from what the catalogue says that
// an algorithm can do and promises.
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
  /// About how long a task may take; it is given so many seeds.
  double task_s = 2;
  unsigned at_once_max = 1000;
};

/// The programs that are explored.
struct Programs {
  std::string conch;
  std::string chaos;
  std::vector<std::string> fuzz;
};

/// Those whose promises hold; or the specimens, which break them.
enum class Whose : std::uint8_t { real, specimens };

std::vector<Family> families(const Programs& programs, Whose whose);

}  // namespace conch::explore
