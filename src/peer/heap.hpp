// Heap settings for programs that run as a peer for long. A library leaves its process's heap
// alone.
#pragma once

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace conch::peer {

/// Makes large blocks, e.g. the reports of all members when a group changes, go back to the system
/// as soon as they are freed. Call it while the process has one thread.
inline void keep_heap_small() {
#ifdef __GLIBC__
  constexpr int large_bytes = 64 << 10;
  ::mallopt(M_MMAP_THRESHOLD, large_bytes);
  ::mallopt(M_TRIM_THRESHOLD, large_bytes);
  ::mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace conch::peer
