// The rules of recovery, each with a policy that breaks it, for tests which show that the rule is
// needed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "recovery/policy.hpp"

namespace conch::recovery {

enum class Rule : std::uint8_t {
  none,
  roster,       // a guest is on the roster before it is welcomed
  old_epochs,   // what was sent in an older epoch is dropped
  new_epochs,   // what was sent in a newer epoch is kept until that is installed
  lease,        // every event, and so every entry, checks the lease first
  acceptance,   // only a peer whose proposal the register accepted decides
  incarnation,  // messages of one life do not count as another's
  fences,       // fences of an epoch are greater than all earlier ones
  command,      // a peer evicted while its command runs does not report that it has let go
};

inline constexpr std::array rules{Rule::roster, Rule::old_epochs, Rule::new_epochs,
                                  Rule::lease,  Rule::acceptance, Rule::incarnation,
                                  Rule::fences, Rule::command};

constexpr std::string_view word(Rule rule) {
  switch (rule) {
    case Rule::none: return "none";
    case Rule::roster: return "roster";
    case Rule::old_epochs: return "old-epochs";
    case Rule::new_epochs: return "new-epochs";
    case Rule::lease: return "lease";
    case Rule::acceptance: return "acceptance";
    case Rule::incarnation: return "incarnation";
    case Rule::fences: return "fences";
    case Rule::command: return "command";
  }
  return "?";
}

/// The production policy for `none`.
const RecoveryPolicy* policy_without(Rule rule);

}  // namespace conch::recovery
