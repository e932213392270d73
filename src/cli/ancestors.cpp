#include "cli/ancestors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <conch/error.hpp>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "cli/descendants.hpp"
#include "peer/directories.hpp"

namespace conch::cli {

namespace {

constexpr const char* variable = "CONCH_HELD";

/// Identifies a lock by name, group and state directory, because groups of two registers may have
/// the same name. Names contain no tabs.
std::string target_of(const LockWish& wish) {
  std::string state;
  try {
    state = peer::directories_of(wish.group).state;
  } catch (const Error&) {
    // The code that uses the directory later reports what is wrong with it.
  }
  return fmt::format("{}\t{}\t{}", wish.lock, wish.group, state);
}

/// The process id and start time, as the lines have them.
std::string text_of(const Descendant& process) {
  return fmt::format("{} {}", process.process, process.start);
}

std::set<std::string> ancestors() {
  std::set<std::string> found;
  pid_t above = ::getppid();
  while (auto process = above > 0 ? find_process(above) : std::nullopt) {
    if (!found.insert(text_of(*process)).second) break;
    above = process->parent;
  }
  return found;
}

struct HeldLine {
  std::string process;
  bool shared = false;
  std::string target;
};

/// Empty if the line is not ours.
HeldLine parse(const std::string& line) {
  std::size_t first = line.find('\t');
  std::size_t second = first == line.npos ? line.npos : line.find('\t', first + 1);
  if (second == line.npos) return {};
  return {line.substr(0, first), line.substr(first + 1, second - first - 1) == "shared",
          line.substr(second + 1)};
}

std::string inherited() {
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace

void expect_no_ancestor_holds(const LockWish& wish) {
  std::istringstream lines(inherited());
  std::string target = target_of(wish);
  for (std::string line; std::getline(lines, line);) {
    HeldLine held = parse(line);
    bool shares = held.shared && wish.shared;
    if (held.target != target || shares || !ancestors().contains(held.process)) continue;
    throw std::invalid_argument(fmt::format(
        "{} is held by the conch lock that this one runs under (pid {}), which waits for this one "
        "to end: leave out the inner conch lock, or lock another name",
        wish.lock, held.process.substr(0, held.process.find(' '))));
  }
}

void note_for_descendants(const LockWish& wish) {
  auto self = find_process(::getpid());
  if (!self) return;  // No descendant could verify it.
  std::string before = inherited();
  std::string line = fmt::format("{}\t{}\t{}", text_of(*self), wish.shared ? "shared" : "exclusive",
                                 target_of(wish));
  ::setenv(variable, (before.empty() ? line : before + "\n" + line).c_str(), 1);
}

}  // namespace conch::cli
