// When a command is ended whose lock is lost, as arithmetic: within the lease, so that nobody else
// is inside while it runs.
//
//      renewed                      TERM               KILL    end      end for the others
//   ------|-----------------------|-|------------------|-------|--------------|------>
//                                 a third of the lease is left
//
// The lease ends for its owner before it does for anybody else (recovery/lease.hpp); the difference
// is what a killed process may take to be gone. Who has asked for a lock delay is waited for that
// much longer, and so its command has it, too.
#pragma once

#include <algorithm>

#include "register/lease_page.hpp"

namespace conch::cli {

using file::BootTime;
using file::LeaseTimes;

/// How long a command may go on.
struct Reprieve {
  /// After it was asked to end.
  Duration grace = std::chrono::seconds(5);
  /// Beyond the lease: for so long nobody enters after that.
  Duration lock_delay{};
};

/// When it is asked to end if the lease has not been renewed by then.
constexpr BootTime ask_to_end_at(const LeaseTimes& lease) { return lease.end - lease.length / 3; }

/// When it is killed, asked at this time. A little before the lease ends: to find all descendants
/// takes a moment.
constexpr BootTime kill_at(BootTime asked, const LeaseTimes& lease, const Reprieve& reprieve) {
  BootTime last = lease.end - lease.length / 50 + reprieve.lock_delay;
  bool is_over = lease.end == BootTime{};
  return is_over ? asked : std::clamp(asked + reprieve.grace, asked, std::max(asked, last));
}

/// Without a lease that could end.
constexpr BootTime kill_at(BootTime asked, const Reprieve& reprieve) {
  return asked + reprieve.grace;
}

}  // namespace conch::cli
