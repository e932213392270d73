// For programs that are a peer for long. A library leaves its process's heap alone.
#pragma once

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace conch::peer {

/// What is large, as what all say when their group changes, goes back to the system when it is
/// freed, and is not kept for later. To be called while there is one thread.
inline void keep_heap_small() {
#ifdef __GLIBC__
  constexpr int large_bytes = 64 << 10;
  ::mallopt(M_MMAP_THRESHOLD, large_bytes);
  ::mallopt(M_TRIM_THRESHOLD, large_bytes);
  ::mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace conch::peer
