// Closes a descriptor in every forked child. O_CLOEXEC closes it only on exec; a child that merely
// forks would keep our sockets open, so that after our death others would still find us listening.
// The child closes them before it does anything else.
#pragma once

namespace conch::net {

/// Registers a descriptor. Any number of threads may call.
void close_on_fork(int descriptor);
/// Call it before closing the descriptor, as another thread may reuse the number right away.
void forget_on_fork(int descriptor);

}  // namespace conch::net
