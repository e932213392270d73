// Computes when to end a command whose lock is lost: within the lease, so that no other process is
// inside while it runs.
//
//      renewed                      TERM               KILL    end      end for the others
//   ------|-----------------------|-|------------------|-------|--------------|------>
//                                 a third of the lease is left
//
// The lease ends for its owner before it does for the other peers (recovery/lease.hpp). A killed
// process may take that difference to disappear. With a lock delay, others wait that much longer,
// so the command gets that time as well.
#pragma once

#include <algorithm>

#include "register/lease_page.hpp"

namespace conch::cli {

using file::BootTime;
using file::LeaseTimes;

/// How long a command may go on.
struct Reprieve {
  /// Between TERM and KILL.
  Duration grace = std::chrono::seconds(5);
  /// How much longer than the lease the command may run, since no other process enters for this
  /// long.
  Duration lock_delay{};
};

/// When to send TERM if the lease has not been renewed by then.
constexpr BootTime ask_to_end_at(const LeaseTimes& lease) { return lease.end - lease.length / 3; }

/// When to send KILL after TERM at `asked`. This is a little before the lease ends, because it
/// takes a moment to find all descendants.
constexpr BootTime kill_at(BootTime asked, const LeaseTimes& lease, const Reprieve& reprieve) {
  BootTime last = lease.end - lease.length / 50 + reprieve.lock_delay;
  bool is_over = lease.end == BootTime{};
  return is_over ? asked : std::clamp(asked + reprieve.grace, asked, std::max(asked, last));
}

/// The same without a lease.
constexpr BootTime kill_at(BootTime asked, const Reprieve& reprieve) {
  return asked + reprieve.grace;
}

}  // namespace conch::cli
