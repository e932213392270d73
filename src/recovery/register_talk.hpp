// What a peer asks the register, and what it answers. An answer may be late, or lost.
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
struct Renew {
  Life life;
  CONCH_FIELDS(Renew, life)
};
/// Renews; and from now on, whoever ends this lease because its time is over waits so much longer.
/// The longest that was asked for counts.
struct RenewDelayed {
  Life life;
  Duration lock_delay{};
  CONCH_FIELDS(RenewDelayed, life, lock_delay)
  bool valid() const { return lock_delay <= lock_delay_max; }
};
using Question = std::variant<Look, Propose, Renew, RenewDelayed>;

struct Ask {
  std::uint64_t number = 0;
  Question question;
  CONCH_FIELDS(Ask, number, question)
};

struct Answer {
  /// Of what was asked.
  std::uint64_t number = 0;
  /// The view was accepted, the lease prolonged.
  bool yes = false;
  /// After that.
  Standing standing;
  CONCH_FIELDS(Answer, number, yes, standing)
};

}  // namespace conch::recovery
