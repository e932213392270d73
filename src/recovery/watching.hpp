// Which peer looks after which lease, as arithmetic on a view.
//
// If every member read every lease, an idle group would cost the square of its size. So a member
// watches only the leases that follow its own on the ring of lives, until it has passed a few that
// run. All watch the decider, for which they may wait, and the decider watches those it waits for.
// The end of another lease becomes known to all by the next view.
//
// Nothing about safety depends on who watches: a lease that nobody looks at is not treated as over.
// Every end is noticed all the same. Walking backwards from an ended lease there is a first member
// whose lease runs. That member watches: on the way between the two it passes no running lease. If
// it dies, too, the member before it watches both.
//
// A member that is about to put somebody out reads all leases first. So members that died together
// go out together (`spares_the_dead`).
#pragma once

#include <functional>
#include <vector>

#include "recovery/view.hpp"

namespace conch::recovery {

/// After how many running leases a member stops. More than one, so that somebody notices early
/// although the nearest member is stopped.
inline constexpr std::size_t watched_leases = 3;

/// Calls `has_ended` for each life whose lease `watcher` watches, in the order of the ring, until
/// `most` leases run. `watcher` need not be mentioned by the view; a newcomer watches from where it
/// will be.
void walk_watched(const View& view, const PeerInstance& watcher,
                  const std::function<bool(const PeerInstance&)>& has_ended,
                  std::size_t most = watched_leases);

/// How many peers that may know of an ended lease should propose before `self` does. Peers that
/// know of the same ends agree about it.
std::size_t proposal_rank(const RegisterSnapshot& known, const PeerInstance& self);

/// Whether a member of this view is not in the next one.
bool puts_out(const View& next, const View& before);
/// Whether `next` keeps a member whose lease is known to have ended. A register may refuse that of
/// a view that puts somebody out.
bool spares_the_dead(const View& next, const RegisterSnapshot& known);

}  // namespace conch::recovery
