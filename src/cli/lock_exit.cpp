#include "cli/lock_exit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <conch/error.hpp>

namespace conch::cli {

namespace {

constexpr std::array rows{
    LockExitRow{"the command's", "the command ran and ended; 128+N if signal N killed it"},
    LockExitRow{"1",
                "bad usage: an invalid option, name or algorithm; or the lock is held by the conch "
                "lock that this one runs under"},
    LockExitRow{"69",
                "the group is unavailable: it has no register, or joining took more than 10 s"},
    LockExitRow{"70", "the command's keeper was killed, and the command with it"},
    LockExitRow{"75", "the lock was not free (--try), or not in time (--timeout)"},
    LockExitRow{"76",
                "the lock was lost while the command ran, and the command was terminated; or it "
                "was not held until the command ended"},
    LockExitRow{"78",
                "misconfigured: a directory or an option does not fit this machine or the group"},
    LockExitRow{"126, 127", "the command cannot be executed, or was not found"},
    LockExitRow{"128+N", "signal N arrived while waiting for the lock: 130 for Ctrl-C"},
};

}  // namespace

std::span<const LockExitRow> lock_exits() { return rows; }

std::string lock_exit_help() {
  std::size_t width = 0;
  for (const LockExitRow& row : rows) width = std::max(width, row.status.size());
  std::string text = "Exit status:\n";
  for (const LockExitRow& row : rows)
    text += fmt::format("  {:{}}  {}\n", row.status, width, row.meaning);
  return text;
}

LockExit exit_of(const std::exception& error) {
  if (const auto* failure = dynamic_cast<const LockFailure*>(&error)) return failure->exit();
  const auto* known = dynamic_cast<const Error*>(&error);
  if (known == nullptr) return LockExit::unavailable;
  switch (known->code()) {
    case ErrorCode::bad_argument:
    case ErrorCode::unsupported:
    case ErrorCode::misuse:
    case ErrorCode::deadlock: return LockExit::bad_usage;
    case ErrorCode::misconfigured: return LockExit::misconfigured;
    case ErrorCode::unavailable:
    case ErrorCode::left:
    case ErrorCode::forked:
    case ErrorCode::exhausted: return LockExit::unavailable;
  }
  return LockExit::unavailable;
}

}  // namespace conch::cli
