#include "overlay/protocol_specimens.hpp"

#include <algorithm>

#include "overlay/end_to_end_messages.hpp"
#include "overlay/protocol_policy.hpp"

namespace conch::overlay {

namespace {

/// Votes of several generations are added up.
class WithoutVoteGeneration : public ProtocolPolicy {
  bool is_past(std::uint64_t, std::uint64_t) const override { return false; }
};

/// A holder that hands the token on frees the replicas, too.
class WithoutKeptLock : public ProtocolPolicy {
  Parting parting(Index replica, const e2e::Term& term, const DataRef& data,
                  HandOff) const override {
    return e2e::Release{replica, term, data};
  }
};

/// A locked replica does not tell the holder of a request.
class WithoutToldHolder : public ProtocolPolicy {
  Requests told_to_holder(Requests) const override { return {}; }
};

/// A holder that has left the critical section drops the requests queued with it.
class WithoutLateEnqueue : public ProtocolPolicy {
  bool minds_late_requests() const override { return false; }
};

/// Entries of past generations intercept for ever.
class WithoutLeastGeneration : public ProtocolPolicy {
  std::uint64_t least(std::uint64_t) const override { return 0; }
};

/// A vote that was yielded counts when a copy of it comes.
class WithoutVoteVersion : public ProtocolPolicy {
  bool knows_better(bool) const override { return false; }
  bool is_current(std::uint64_t, std::uint64_t) const override { return true; }
};

/// Votes are yielded only when all replicas have answered.
class WithoutPatience : public ProtocolPolicy {
  bool loses_patience() const override { return false; }
};

/// A second copy of a token is a second token.
class WithoutTokenOnce : public ProtocolPolicy {
  bool is_copy(const e2e::Term&, const e2e::Term&) const override { return false; }
};

/// A token for a request that is over is dropped.
class WithoutPassThrough : public ProtocolPolicy {
  bool takes_token(bool is_ours) const override { return is_ours; }
};

/// A vote for a request that is over is kept.
class WithoutBounce : public ProtocolPolicy {
  bool gives_back(bool) const override { return false; }
};

/// What is queued with a holder before its token comes is dropped.
class WithoutEarlyEnqueue : public ProtocolPolicy {
  Requests queued_early(const Requests&) const override { return {}; }
};

/// A client that knows a newer generation does not try again.
class WithoutRetryGeneration : public ProtocolPolicy {
  bool has_retried(std::uint64_t generation, std::uint64_t retried,
                   std::uint64_t newest) const override {
    return generation <= std::max(retried, newest);
  }
};

/// A vote of the generation that was won is given back.
class WithoutBounceGuard : public ProtocolPolicy {
  bool has_won(std::uint64_t, std::uint64_t) const override { return false; }
};

/// A replica forgets the request it voted for when another one wins.
class WithoutOverridden : public ProtocolPolicy {
  Requests overridden(const Priority&) const override { return {}; }
};

/// A token whose receiver is suspected is taken back.
class WithoutSentToken : public ProtocolPolicy {
  bool comes_back(bool is_suspected) const override { return is_suspected; }
};

/// Votes count though they may have run out.
class WithoutVoteLife : public ProtocolPolicy {
  bool confirms(bool) const override { return true; }
  bool enters_at_once(bool) const override { return true; }
};

/// A release stops at a node without an entry.
class WithoutReleaseRoute : public ProtocolPolicy {
  Passage off_the_way() const override { return Passage::stop; }
};

/// A request that is intercepted stays where it is.
class WithoutForcedRequest : public ProtocolPolicy {
  bool insists(std::uint32_t) const override { return false; }
};

/// A release is stopped where its request waits, though the replica voted.
class WithoutVotedRelease : public ProtocolPolicy {
  bool may_have_voted(bool) const override { return false; }
};

/// A replica that has forgotten its vote, or is a new root, votes at once.
class WithoutQuarantine : public ProtocolPolicy {
  bool has_quarantine(bool) const override { return false; }
};

/// A crashed holder keeps the lock for ever.
class WithoutLease : public ProtocolPolicy {
  bool watches_holders() const override { return false; }
};

/// A client yields again at once.
class WithoutBackOff : public ProtocolPolicy {
  bool backs_off(bool) const override { return false; }
};

/// Every replica must grant.
class WithoutMajority : public ProtocolPolicy {
  Index needed(const Replicas& replicas) const override { return replicas.size(); }
};

/// A fence is not stored before the entry.
class WithoutStoredFence : public ProtocolPolicy {
  Baton stored(const Baton& known, const Baton&) const override { return known; }
};

/// A holder does not notice that its lease runs out.
class WithoutSelfFence : public ProtocolPolicy {
  bool forfeits() const override { return false; }
};

/// A root that has forgotten the last fence does not ask the others.
class WithoutRecall : public ProtocolPolicy {
  bool has_forgotten(bool) const override { return false; }
};

/// If all replicas have forgotten a lock, its fences begin anew.
class WithoutFenceClock : public ProtocolPolicy {
  Fence time(Fence known, Fence) const override { return known; }
  bool begins_era(bool somebody_knew) const override { return somebody_knew; }
};

/// A root in quarantine confirms every node that says that it is inside.
class WithoutNamedHolder : public ProtocolPolicy {
  bool confirms_unnamed(bool) const override { return true; }
};

/// A root acts for its keys whether or not its neighbours still answer it.
class WithoutRootLease : public ProtocolPolicy {
  Duration root_lease(Duration) const override { return Duration::zero(); }
};

}  // namespace

std::span<const Rule> protocol_rules() {
  static const Rule rules[] = {
      {"vote-generation", policy<WithoutVoteGeneration>()},
      {"kept-lock", policy<WithoutKeptLock>()},
      {"told-holder", policy<WithoutToldHolder>()},
      {"late-enqueue", policy<WithoutLateEnqueue>()},
      {"least-generation", policy<WithoutLeastGeneration>()},
      {"vote-version", policy<WithoutVoteVersion>()},
      {"patience", policy<WithoutPatience>()},
      {"token-once", policy<WithoutTokenOnce>()},
      {"pass-through", policy<WithoutPassThrough>()},
      {"bounce", policy<WithoutBounce>()},
      {"early-enqueue", policy<WithoutEarlyEnqueue>()},
      {"retry-generation", policy<WithoutRetryGeneration>()},
      {"bounce-guard", policy<WithoutBounceGuard>()},
      {"overridden", policy<WithoutOverridden>()},
      {"sent-token", policy<WithoutSentToken>()},
      {"vote-life", policy<WithoutVoteLife>()},
      {"release-route", policy<WithoutReleaseRoute>()},
      {"forced-request", policy<WithoutForcedRequest>()},
      {"voted-release", policy<WithoutVotedRelease>()},
      {"quarantine", policy<WithoutQuarantine>()},
      {"lease", policy<WithoutLease>()},
      {"back-off", policy<WithoutBackOff>()},
      {"majority", policy<WithoutMajority>()},
      {"stored-fence", policy<WithoutStoredFence>()},
      {"self-fence", policy<WithoutSelfFence>()},
      {"recall", policy<WithoutRecall>()},
      {"fence-clock", policy<WithoutFenceClock>()},
      {"named-holder", policy<WithoutNamedHolder>()},
      {"root-lease", policy<WithoutRootLease>()},
  };
  return rules;
}

}  // namespace conch::overlay
