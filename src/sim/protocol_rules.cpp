#include "sim/protocol_rules.hpp"

#include <array>
#include <string>
#include <utility>

#include "sim/distribution.hpp"

namespace conch::sim {

namespace {

constexpr auto rules = std::to_array<std::pair<std::string_view, Without>>({
    {"vote-generation", Without::vote_generation},
    {"kept-lock", Without::kept_lock},
    {"told-holder", Without::told_holder},
    {"late-enqueue", Without::late_enqueue},
    {"least-generation", Without::least_generation},
    {"vote-version", Without::vote_version},
    {"patience", Without::patience},
    {"token-once", Without::token_once},
    {"pass-through", Without::pass_through},
    {"bounce", Without::bounce},
    {"early-enqueue", Without::early_enqueue},
    {"retry-generation", Without::retry_generation},
    {"bounce-guard", Without::bounce_guard},
    {"overridden", Without::overridden},
    {"sent-token", Without::sent_token},
    {"vote-life", Without::vote_life},
    {"release-route", Without::release_route},
    {"forced-request", Without::forced_request},
    {"voted-release", Without::voted_release},
    {"quarantine", Without::quarantine},
    {"lease", Without::lease},
    {"back-off", Without::back_off},
    {"majority", Without::majority},
    {"stored-fence", Without::stored_fence},
    {"self-fence", Without::self_fence},
    {"recall", Without::recall},
    {"fence-clock", Without::fence_clock},
    {"named-holder", Without::named_holder},
    {"root-lease", Without::root_lease},
});

}  // namespace

Without parse_rule(std::string_view name) {
  std::string names;
  for (auto [each, rule] : rules) {
    if (name == each) return rule;
    names += (names.empty() ? "" : ", ") + std::string(each);
  }
  throw BadText("\"" + std::string(name) + "\" is none of " + names);
}

}  // namespace conch::sim
