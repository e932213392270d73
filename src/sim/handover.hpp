// The benchmark of [Hernane 2015]: peers that hand a block of data to one
// another, each with a lock manager, a handle and an application. The same peers run on any engine
// that carries messages and keeps a clock.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/contract.hpp"
#include "sim/wires.hpp"

namespace conch::sim::handover {

struct Workload {
  std::string algorithm = "naimi-trehel";
  Tuning tuning;
  /// The last `churners` of the peers run listing 1, over and over: create, request, wait, request
  /// again, wait, release twice, destroy. The others are steady and run listing 2.
  Node peers = 50;
  Node churners = 0;
  /// The cycles of each steady peer. The churners go on until the last of these is over.
  std::uint64_t cycles = 20;

  // Listing 2: sleep(idle), request, sleep(overlap), test, acquire, sleep(locked), release.
  Duration idle{};
  Duration overlap{};
  Duration locked{};
  // Listing 1: T1 and T2.
  Duration first_wait = std::chrono::seconds(1);
  Duration second_wait = std::chrono::seconds(1);
  /// The first peer begins at once and holds the data so much longer in its first cycle; the others
  /// begin at times drawn from zero up to this. So the queue is there before it is measured.
  Duration opening = std::chrono::seconds(1);

  /// The size of the data, and of every message without the data that travel with it.
  std::uint64_t bytes = 0;
  std::uint64_t message_bytes = 64;
  bool prefetch = false;
  Wires wires;
  std::uint64_t seed = 1;

  Node steady() const { return peers - churners; }
};

/// Throws BadText with a sentence if the workload contradicts itself.
void validate(const Workload& workload);

/// Means over cycles.
struct Times {
  std::uint64_t cycles = 0;
  /// Equation 3: T_idle + T_wait + T_locked.
  double dho_s = 0;
  /// From the request, and from the call of acquire, until the data are there (equations 1 and 2).
  double wait_s = 0;
  double blocking_s = 0;
  /// From asking for the data until they are there, over the cycles that had to ask.
  double fetch_s = 0;
  /// From the previous holder's release until this entry, over the entries that waited by then.
  double handover_s = 0;
};

/// The results of the steady peers' cycles. Plain bytes, so that they can come from another
/// process.
struct Measured {
  /// Without the first three cycles of each peer, and without those that end after any peer's last:
  /// the queue is not as long then.
  Times steady;
  Times all;
  /// Messages of the lock managers; those of them that change places in a tree; messages of
  /// handles.
  std::uint64_t messages = 0;
  std::uint64_t swaps = 0;
  std::uint64_t handle_messages = 0;
  std::uint64_t joins = 0;
  std::uint64_t leaves = 0;
  /// Locks that came to a churner before it gave up.
  std::uint64_t unwanted = 0;
  double ended_s = 0;
};

/// Nothing is in flight, and some peer has not done what it should.
struct Stuck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs the workload on our own event queue. Throws Stuck.
Measured run(const Workload& workload);

}  // namespace conch::sim::handover
