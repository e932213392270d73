// Measurements of Conch alone. Both functions throw an exception that says why one is impossible.
#pragma once

namespace conch::bench {

/// The time to lock and unlock, in one thread, a lock whose token is here already.
double reacquire_ns(double seconds);

/// The memory that a peer keeps for a lock that it has used once.
double idle_lock_bytes();

}  // namespace conch::bench
