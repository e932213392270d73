#include "catalog/presets.hpp"

namespace conch {

namespace {

/// What the corrections of RR-5177 are for: F1 to F12.
std::vector<CatalogEntry> hierarchical_specimens() {
  using Agg = PreemptAggregation;
  return {
      specimen<Proxy>("proxy@elected", "RR-5177, fig. 3 (F2)", Without::elected, "ME2",
                      {.clusters = {1, 1}}),
      specimen<Proxy>("proxy@own-owner", "RR-5177, section 3 (F3)", Without::own_owner, "ME2",
                      {.requests = 2, .clusters = {1, 2}}),
      specimen<Preempt>("preempt@tail", "RR-5177, section 3.2 (F12)", Without::tail, "invariants",
                        {.requests = 2, .clusters = {2, 1}, .eps = 1}),
      specimen<Preempt>("preempt@remote-next", "RR-5177, section 3.2 (F12)", Without::remote_next,
                        "ME2", {.clusters = {2, 1, 1}, .eps = 1}),
      specimen<Agg>("preempt-aggregation@idle-owner", "RR-5177, fig. 6 (F1)", Without::idle_owner,
                    "ME1", {.clusters = {1, 1}}),
      specimen<Agg>("preempt-aggregation@local-owner", "RR-5177, fig. 6 (F4)", Without::local_owner,
                    "ME1", {.requests = 2, .clusters = {2, 1, 1}, .eps = 1}),
      specimen<Agg>("preempt-aggregation@queued-owner", "RR-5177, fig. 7 (F4b)",
                    Without::queued_owner, "ME1", {.requests = 2, .clusters = {3, 1}}),
      specimen<Agg>("preempt-aggregation@stored-queue", "RR-5177, fig. 6 (F5)",
                    Without::stored_queue, "ME2", {.clusters = {2, 1}, .eps = 1}),
      specimen<Agg>("preempt-aggregation@following", "RR-5177, fig. 6 (F6)", Without::following,
                    "ME2", {.clusters = {2, 1}, .eps = 1}),
      specimen<Agg>("preempt-aggregation@reset", "RR-5177, fig. 5 (F7)", Without::reset,
                    "bounded memory", {.clusters = {2, 1}, .eps = 1}),
      specimen<Agg>("preempt-aggregation@set-owner", "RR-5177, fig. 5 (F8)", Without::set_owner,
                    "one token", {.requests = 2, .clusters = {2, 1}}),
      specimen<Agg>("preempt-aggregation@larger-count", "RR-5177, fig. 6 (F9)",
                    Without::larger_count, "visit length",
                    {.clusters = {3, 3, 3}, .eps = 3, .timed = true}),
      specimen<Agg>("preempt-aggregation@full-queue", "RR-5177, fig. 6 (F10)", Without::full_queue,
                    "invariants", {.clusters = {2, 1}}),
      specimen<Agg>("preempt-aggregation@as-published", "RR-5177, fig. 8 (F11)",
                    Without::sent_queue, "visit length", {.clusters = {3, 3, 3}, .timed = true}),
  };
}

}  // namespace

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
  std::vector<CatalogEntry> list = hierarchical_specimens();
  std::vector<CatalogEntry> others{
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
      specimen<Bully>("bully@round", "notes 15.3 as printed", Without::election_round, "E2",
                      {.nodes = 16, .timed = true}),
  };
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

}  // namespace conch
