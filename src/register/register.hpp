// The register decides views and keeps leases. Handing a lock over does not involve it: a peer
// calls it only when the roster changes and to renew its lease. FileRegister and EtcdRegister
// implement it.
#pragma once

#include <stdexcept>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch {

/// The register cannot be reached, or its contents are malformed. The text says what, where, and
/// what to do. Nothing was promised: running leases go on running, and run out.
class RegisterError : public std::runtime_error {
 public:
  explicit RegisterError(const std::string& what, int error = 0)
      : std::runtime_error(what), error_(error) {}
  /// The errno of the failed operation, on whatever file; 0 if the cause was something else.
  int error() const { return error_; }

 private:
  int error_;
};

/// The result of a proposal or of a renewal.
struct ProposalResult {
  bool accepted = false;
  /// The newest view afterwards. After a proposal that is the proposal itself, or the view that the
  /// next proposal must follow.
  recovery::RegisterSnapshot snapshot;
};

/// Used by one thread at a time. Every call may throw RegisterError, and std::invalid_argument for
/// an argument that no register would accept.
class Register {
 public:
  Register() = default;
  Register(const Register&) = delete;
  Register& operator=(const Register&) = delete;
  virtual ~Register() = default;

  /// Binds that life to this process: the lease that `propose` begins for it ends when the process
  /// dies or execs, or when this object is destroyed, if the life has no keepers and the register
  /// can see that. The lease of a life that is not attached, for which we only act, ends by time.
  /// Throws RegisterError if another process is that life.
  virtual void attach(const PeerInstance& life) = 0;
  /// Returns a descriptor to send to a *keeper*, another process. While a process has it open, the
  /// lease of an attached life that began here does not end with this process, but runs until the
  /// end of its last renewal. Empty if this register has no keepers. Each call makes a new one.
  /// Throws std::logic_error if there is no such lease.
  virtual net::Descriptor proof(const PeerInstance& life) const = 0;

  /// A caller that is told that a lease has ended may act on it: from then on `renew` returns false
  /// for that life. It is told of the leases that the lives it speaks for watch
  /// (recovery/watching.hpp); a caller that speaks for none, of all.
  virtual recovery::RegisterSnapshot read() = 0;

  /// The newest view alone, which costs less.
  virtual recovery::View view() { return read().view; }

  /// Accepts `next` if its number is that of the newest view plus one; accepts only one of several
  /// such proposals. The epoch must not go back. A view that puts a member out, or lets one go, may
  /// be refused if it keeps one whose lease has ended: the answer says which those are. If the
  /// proposer is a newcomer, its lease begins before anybody can see the view.
  ///
  /// A proposal whose answer was lost may be made again. An accepted one is accepted again while
  /// the register remembers it. A forgotten one is refused: so many views have followed that only
  /// the newest matters.
  virtual ProposalResult propose(const recovery::View& next, const PeerInstance& by) = 0;
  ProposalResult propose(const recovery::View& next) { return propose(next, next.decider); }

  /// Renews the lease. Returns false if this life is no tenant of the view, because it has been
  /// evicted, or if its lease has ended; then nothing brings it back. The lease counts from before
  /// this call.
  virtual bool renew(const PeerInstance& life) = 0;
  /// Does both, in one round trip where the register is remote.
  virtual ProposalResult renew_and_read(const PeerInstance& life) {
    bool renewed = renew(life);
    return {renewed, read()};
  }

  /// From now on, whoever ends this lease because its time is over waits this much longer. The
  /// longest delay requested counts. It does not apply if the register knows that the process and
  /// its keepers have gone.
  virtual void delay(const PeerInstance& life, Duration lock_delay) = 0;

  /// Ends the lease early, because its peer has gone.
  virtual void end(const PeerInstance& life) = 0;

  /// This newcomer waits to be taken in by whoever proposes next; its lease begins, or is renewed.
  /// A register where nobody waits only reads.
  virtual recovery::RegisterSnapshot announce(const recovery::Newcomer&) { return read(); }
  /// This member waits to be let go by whoever leaves next.
  virtual recovery::RegisterSnapshot announce_leave(const PeerInstance&) { return read(); }
  /// The others that wait, if the life of this process joins or has announced that it leaves.
  virtual recovery::Waiting waiting() { return {}; }

  /// The lease duration, which is the same for the whole group.
  virtual Duration lease() const = 0;

  /// Becomes readable when `read` may return something new: there is a new view, or a lease has
  /// ended. `read` makes it unreadable again.
  virtual int descriptor() const = 0;
};

}  // namespace conch
