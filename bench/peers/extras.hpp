// What is measured of Conch alone. Both throw a sentence if it cannot be.
#pragma once

namespace conch::bench {

/// A lock and an unlock, in one thread, of a lock whose token is here already.
double reacquire_ns(double seconds);

/// What a peer keeps of a lock that was used once, by it.
double idle_lock_bytes();

}  // namespace conch::bench
