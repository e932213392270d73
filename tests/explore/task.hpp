// A command whose options were drawn at random, and the smaller ones that may fail as it does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace conch::explore {

using Milliseconds = std::chrono::milliseconds;

/// How an option may be made smaller.
enum class Smaller : std::uint8_t {
  never,
  drop,   // leave it out
  lower,  // `12` or `2..20`: a smaller number, which is at least `least`
  list,   // `3,2,4`: fewer, or smaller ones
  counts  // `crashes=4,joins=3`: smaller ones, each of them
};

struct Option {
  std::string name;
  /// Empty if the option has none.
  std::string value = {};
  Smaller smaller = Smaller::drop;
  std::uint64_t least = 1;

  friend bool operator==(const Option&, const Option&) = default;
};

/// Where a command takes its seeds.
enum class Seeding : std::uint8_t {
  none,     // it tries everything
  range,    // --seed 7, or --seeds 7..9
  single,   // --seed 7
  numbered  // the inputs from the second number up to the first
};

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 1;
};

struct Task {
  std::string program = {};
  std::vector<std::string> words = {};
  std::vector<Option> options = {};
  /// Only for a run whose output a program reads.
  std::vector<std::string> machine_words = {};
  Seeding seeding = Seeding::range;
  /// Asked to end early after so long, and with what it has; never, if zero.
  Milliseconds enough{};

  void set(Option option) { options.push_back(std::move(option)); }
  const Option* find(const std::string& name) const;
  friend bool operator==(const Task&, const Task&) = default;
};

/// The program's words for these seeds, read by a program; and for one, read by people.
std::vector<std::string> words_of(const Task& task, const Seeds& seeds);
std::vector<std::string> words_of(const Task& task, std::uint64_t seed);
/// As one types it.
std::string command_of(const std::vector<std::string>& words);

/// Every task that is one step smaller, the largest steps first.
std::vector<Task> smaller(const Task& task);

/// A task that fails with this seed.
struct Failing {
  Task task;
  std::uint64_t seed = 0;
};

/// Takes the first smaller task that fails until none does. `fails` says with which seed, tries
/// that of the larger one first, and gives up when it has no more time.
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
