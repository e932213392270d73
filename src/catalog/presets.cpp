#include "catalog/presets.hpp"

namespace conch {

std::vector<CatalogEntry> presets() {
  CatalogEntry trylock =
      fixed(variant<Elmp>("elmp-trylock", "RR-8690, alg. 1 repaired", {.without = Without::queue}));
  trylock.about.messages = "O(N) under load";
  trylock.about.promises_progress = false;  // who is refused may be overtaken again and again
  CatalogEntry polite =
      variant<Bully>("bully-polite", "notes, exercise 11.8", {.manners = Manners::polite});
  CatalogEntry unheard =
      specimen<Bully>("bully-polite@listening", "notes, exercise 11.8", Without::listening, "E1",
                      {.nodes = 3, .crashes = 1, .restarts = 1});
  unheard.preset.manners = Manners::polite;
  return {
      variant<Elmp>("elmp-lazy", "RR-8690, section 4.5", {.balance = Balance::lazy}),
      trylock,
      specimen<Elmp>("elmp@retry", "RR-8690, alg. 1, lines 2 to 10", Without::retry, "ME2",
                     {.nodes = 3}),
      specimen<Elmp>("elmp@track-back", "RR-8690, alg. 1", Without::track_back, "structure",
                     {.nodes = 4}),
      specimen<Elmp>("elmp@handover", "RR-8690, alg. 1, lines 12 to 15", Without::handover,
                     "structure", {.nodes = 4}),
      specimen<Elmp>("elmp@adjacency", "RR-8690, alg. 1", Without::adjacency, "structure"),
      specimen<Elmp>("elmp@idle-token", "RR-8690, section 4.2", Without::idle_token, "structure"),
      specimen<Elmp>("elmp@announcement", "RR-8690, section 4.1", Without::announcement,
                     "structure", {.nodes = 3}),
      specimen<Elmp>("elmp@last-member", "RR-8690, alg. 2", Without::last_member, "ME2",
                     {.nodes = 1, .leaves = 1}),
      specimen<Elmp>("elmp@told-children", "RR-8690, alg. 2, lines 20 to 26",
                     Without::told_children, "structure", {.nodes = 3, .leaves = 1}),
      specimen<Elmp>("elmp@leave-lock", "RR-8690, alg. 2, line 1", Without::leave_lock,
                     "invariants", {.nodes = 3, .leaves = 1}),
      specimen<Elmp>("elmp@degree", "RR-8690, section 4.5.1", Without::degree, "structure",
                     {.nodes = 4, .joins = 1}),
      specimen<Elmp>("elmp@heaviest-leaf", "RR-8690, section 4.6.1", Without::heaviest_leaf,
                     "structure", {.nodes = 4, .leaves = 1}),
      specimen<Elmp>("elmp@confirmation", "RR-8690, section 4.1, step 3", Without::confirmation,
                     "invariants", {.nodes = 3}),
      specimen<Elmp>("elmp@early-token", "RR-8690, section 6.2, step 4", Without::early_token,
                     "one token"),
      specimen<Elmp>("elmp@replacement", "RR-8690, section 4.6.1", Without::replacement, "ME2",
                     {.nodes = 3, .leaves = 1}),
      specimen<Elmp>("elmp@node-weight", "RR-8690, section 3", Without::node_weight, "structure",
                     {.nodes = 4}),
      specimen<Elmp>("elmp@splicing", "RR-8690, section 6.3", Without::splicing, "structure",
                     {.nodes = 3, .cancels = 1, .leaves = 1}),
      specimen<ChangRoberts>("chang-roberts@participant",
                             "notes 15.3, without \"does not forward\"", Without::participant,
                             "E1"),
      polite,
      specimen<Bully>("bully@second-election", "notes 15.3, without \"begins another\"",
                      Without::second_election, "E2", {.nodes = 3, .crashes = 1}),
      specimen<Bully>("bully@listening", "notes 15.3 as printed", Without::listening, "E1",
                      {.nodes = 3, .crashes = 1, .restarts = 1}),
      unheard,
  };
}

}  // namespace conch
