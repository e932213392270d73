// Questions of a peer to the register, and its answers. An answer may be late or lost.
#pragma once

#include <cstdint>
#include <variant>

#include "recovery/lease.hpp"
#include "recovery/view.hpp"

namespace conch::recovery {

struct Look {
  CONCH_FIELDS(Look)
};
/// Accepted if the view's number is the next; the leases of newcomers begin with it.
struct Propose {
  View view;
  CONCH_FIELDS(Propose, view)
};
struct RenewLease {
  PeerInstance life;
  CONCH_NAMED_FIELDS(RenewLease, "Renew", life)
};
/// A renewal that also sets a lock delay: from now on, when this lease runs out, others wait this
/// much longer. The register keeps the longest delay asked for.
struct RenewDelayed {
  PeerInstance life;
  Duration lock_delay{};
  CONCH_FIELDS(RenewDelayed, life, lock_delay)
  bool valid() const { return lock_delay <= lock_delay_max; }
};
/// Begins the newcomer's lease, or renews it. Whoever proposes next takes the newcomer along.
struct AnnounceJoin {
  Newcomer newcomer;
  CONCH_FIELDS(AnnounceJoin, newcomer)
};
/// The member holds nothing, and asks for nothing more. Whoever leaves next takes it along.
struct AnnounceLeave {
  PeerInstance life;
  CONCH_FIELDS(AnnounceLeave, life)
};
using Question = std::variant<Look, Propose, RenewLease, RenewDelayed, AnnounceJoin, AnnounceLeave>;

struct RegisterRequest {
  std::uint64_t number = 0;
  Question question;
  CONCH_NAMED_FIELDS(RegisterRequest, "Ask", number, question)
};

struct RegisterAnswer {
  /// The number of the question.
  std::uint64_t number = 0;
  /// The view was accepted, or the lease renewed.
  bool yes = false;
  /// The register's state after the question.
  RegisterSnapshot standing;
  /// Not sent: only peers that ask the register themselves wait there.
  Waiting waiting = {};
  CONCH_NAMED_FIELDS(RegisterAnswer, "Answer", number, yes, standing)
};

}  // namespace conch::recovery
