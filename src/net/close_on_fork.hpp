// Descriptors that are of this process alone. Linux closes them when a child execs, but not when it
// only forks: then a child that knows nothing of us would go on listening, and speak for our life,
// after we have died. So a forked child closes them first of all.
#pragma once

namespace conch::net {

/// From here on, until it is forgotten. Safe for any number of threads.
void close_on_fork(int descriptor);
/// Before it is closed: the number may be somebody else's a moment later.
void forget_on_fork(int descriptor);

}  // namespace conch::net
