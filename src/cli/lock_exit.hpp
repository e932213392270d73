// The exit statuses of `conch lock` besides that of its command: one table for the code, for `conch
// lock --help` and for docs/lock.md. The numbers are those of sysexits.h where it has one.
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
  /// A number, or words for the command's own.
  std::string_view status;
  std::string_view meaning;
};

std::span<const LockExitRow> lock_exits();
/// All of them, one per line.
std::string lock_exit_help();

/// Says why the lock cannot be had, and with which status to exit.
class LockFailure : public std::runtime_error {
 public:
  LockFailure(LockExit exit, const std::string& why) : std::runtime_error(why), exit_(exit) {}
  LockExit exit() const { return exit_; }

 private:
  LockExit exit_;
};

/// The status for an exception thrown while the lock was being obtained.
LockExit exit_of(const std::exception& error);

}  // namespace conch::cli
