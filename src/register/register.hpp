// Where views are decided. Locks are handed over without it; a peer asks it when the roster changes
// and keeps its lease there.
#pragma once

#include <stdexcept>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch {

/// The register cannot be reached, or what is in it makes no sense; says what, where, and what to
/// do. Nothing was promised: leases run on, and out.
class RegisterError : public std::runtime_error {
 public:
  explicit RegisterError(const std::string& what, int error = 0)
      : std::runtime_error(what), error_(error) {}
  /// The errno of what could not be done, whatever file it was about; 0: it was something else.
  int error() const { return error_; }

 private:
  int error_;
};

/// What came of a proposal, or of a renewal.
struct Verdict {
  bool accepted = false;
  /// The newest view after it. Of a proposal: itself, or the one it must now be made against.
  recovery::Standing standing;
};

/// Used by one thread at a time. Every call may throw RegisterError, and std::invalid_argument for
/// what no register would accept.
class Register {
 public:
  Register() = default;
  Register(const Register&) = delete;
  Register& operator=(const Register&) = delete;
  virtual ~Register() = default;

  /// This process is that life: the lease that `propose` begins for it ends when the process dies
  /// or execs, or when this object is destroyed, if it has no keepers and the register can know.
  /// Leases of lives that are not attached, those for whom we only speak, end by time. Throws
  /// RegisterError if another process is that life.
  virtual void attach(const recovery::Life& life) = 0;
  /// For a *keeper*, another process to which it is sent: while anybody has it open, the lease of
  /// an attached life that began here does not end with this process, but runs as far as it was
  /// renewed. None if this register knows no keepers. Each call makes one more. Throws
  /// std::logic_error if there is no such lease.
  virtual file::Descriptor proof(const recovery::Life& life) const = 0;

  /// Who is told that a lease has ended may act on it: from then on `renew` answers false.
  virtual recovery::Standing read() = 0;

  /// Accepts `next` if its number is that of the newest view plus one; of several such, one. The
  /// epoch does not go back. If its proposer is a newcomer, its lease begins before the view can be
  /// seen.
  ///
  /// A proposal whose answer was lost may be made again: one that was accepted is accepted again,
  /// as long as the register remembers it. One that has been forgotten is refused: so many views
  /// came after it that only the newest says anything.
  virtual Verdict propose(const recovery::View& next, const recovery::Life& by) = 0;
  Verdict propose(const recovery::View& next) { return propose(next, next.decider); }

  /// Prolongs the lease. False if this life is no tenant of the view: it has been evicted, or its
  /// lease had ended, and then nothing brings it back. A lease counts from before this call.
  virtual bool renew(const recovery::Life& life) = 0;
  /// Both; in one step where a register is far away.
  virtual Verdict renew_and_read(const recovery::Life& life) {
    bool renewed = renew(life);
    return {renewed, read()};
  }

  /// From now on, whoever ends this lease because its time is over waits so much longer; the
  /// longest that was asked for counts. Not if the register knows that its process and keepers have
  /// gone.
  virtual void delay(const recovery::Life& life, Duration lock_delay) = 0;

  /// Ends the lease early: its peer has gone.
  virtual void end(const recovery::Life& life) = 0;

  /// How long a lease lasts; all of a group have the same.
  virtual Duration lease() const = 0;

  /// Becomes readable when `read` may answer otherwise than before: there is a new view, or a lease
  /// has ended. `read` makes it unreadable again.
  virtual int descriptor() const = 0;
};

}  // namespace conch
