// Where views are decided. Locks are handed over without it; a peer asks it when the roster changes
// and keeps its lease there.
#pragma once

#include "recovery/view.hpp"

namespace conch {

/// What came of a proposal.
struct Verdict {
  bool accepted = false;
  /// The newest view after it: the proposal itself, or the one it must now be made against.
  recovery::Standing standing;
};

class Register {
 public:
  virtual ~Register() = default;

  virtual recovery::Standing read() = 0;

  /// Accepts `next` if its number is that of the newest view plus one; of several such, one. The
  /// proposer's lease begins before the view can be seen.
  ///
  /// A proposal whose answer was lost may be made again: one that was accepted is accepted again.
  virtual Verdict propose(const recovery::View& next) = 0;

  /// Prolongs the lease. False if this life is no tenant of the view: it has been evicted, or its
  /// lease had ended, and then nothing brings it back. A lease counts from before this call.
  virtual bool renew(const recovery::Life& life) = 0;

  /// Ends the lease early: its peer has gone.
  virtual void end(const recovery::Life& life) = 0;

  /// Becomes readable when `read` may answer otherwise than before: there is a new view, or a lease
  /// has ended. `read` makes it unreadable again.
  virtual int descriptor() const = 0;
};

}  // namespace conch
