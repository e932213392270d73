// A command with randomly drawn options, and smaller commands that may fail in the same way.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace conch::explore {

using Milliseconds = std::chrono::milliseconds;

/// How an option can be made smaller.
enum class Smaller : std::uint8_t {
  never,
  drop,   // leave it out
  lower,  // `12` or `2..20`: a smaller number, but at least `least`
  list,   // `3,2,4`: fewer or smaller numbers
  counts  // `crashes=4,joins=3`: smaller counts
};

struct Option {
  std::string name;
  /// Empty if the option takes no value.
  std::string value = {};
  Smaller smaller = Smaller::drop;
  std::uint64_t least = 1;

  friend bool operator==(const Option&, const Option&) = default;
};

/// How a command takes its seeds.
enum class Seeding : std::uint8_t {
  none,     // it tries everything
  range,    // --seed 7, or --seeds 7..9
  single,   // --seed 7
  numbered  // END FIRST: the inputs from FIRST up to END
};

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 1;
};

struct Task {
  std::string program = {};
  std::vector<std::string> words = {};
  std::vector<Option> options = {};
  /// Extra words for a run whose output a program reads.
  std::vector<std::string> machine_words = {};
  Seeding seeding = Seeding::range;
  /// The time after which the command is asked to end early and report what it has; never if zero.
  Milliseconds enough{};

  void set(Option option) { options.push_back(std::move(option)); }
  const Option* find(const std::string& name) const;
  friend bool operator==(const Task&, const Task&) = default;
};

/// The words of the program for these seeds, with output for a program; and for one seed, with
/// output for people.
std::vector<std::string> words_of(const Task& task, const Seeds& seeds);
std::vector<std::string> words_of(const Task& task, std::uint64_t seed);
/// The command as a user types it.
std::string command_of(const std::vector<std::string>& words);

/// All tasks that are one step smaller, the largest steps first.
std::vector<Task> smaller(const Task& task);

/// A task and a seed with which it fails.
struct Failing {
  Task task;
  std::uint64_t seed = 0;
};

/// Replaces a task by the first smaller one that fails, until none does. `fails` returns the
/// failing seed; it tries the seed of the larger task first, and gives up when its time is over.
template <class Fails>
Failing shrink(Failing failing, Fails&& fails) {
  for (bool found = true; found;) {
    found = false;
    for (const Task& candidate : smaller(failing.task)) {
      std::optional<std::uint64_t> seed = fails(candidate, failing.seed);
      if (!seed) continue;
      failing = {candidate, *seed};
      found = true;
      break;
    }
  }
  return failing;
}

}  // namespace conch::explore
