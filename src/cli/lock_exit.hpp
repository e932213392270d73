// What `conch lock` ends with, besides the status of its command: one table, for the code, for
// `conch lock --help` and for docs/lock.md. The numbers are those of sysexits.h where it has one.
#pragma once

#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace conch::cli {

enum class LockExit : int {
  bad_usage = 1,
  unavailable = 69,
  keeper_killed = 70,
  not_obtained = 75,
  lost = 76,
  misconfigured = 78,
};

struct LockExitRow {
  /// A number, or a word for those that are the command's.
  std::string_view status;
  std::string_view meaning;
};

std::span<const LockExitRow> lock_exits();
/// All of them, a row each.
std::string lock_exit_help();

/// Why the lock cannot be had, and what to end with.
class LockFailure : public std::runtime_error {
 public:
  LockFailure(LockExit exit, const std::string& why) : std::runtime_error(why), exit_(exit) {}
  LockExit exit() const { return exit_; }

 private:
  LockExit exit_;
};

/// For whatever was thrown while the lock was being obtained.
LockExit exit_of(const std::exception& error);

}  // namespace conch::cli
