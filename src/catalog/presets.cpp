#include "catalog/presets.hpp"

#include "mutex/elmp_specimens.hpp"
#include "mutex/preempt_aggregation_specimens.hpp"

namespace conch {

namespace {

/// Preempt-aggregation without one of the corrections to [Bertier 2004] (docs/corrections.md).
std::vector<CatalogEntry> hierarchical_specimens() {
  using namespace aggregation;
  using Agg = PreemptAggregation;
  return {
      specimen<Agg, WithoutIdleOwner>("preempt-aggregation@idle-owner", "[Bertier 2004, fig. 6]",
                                      "ME1", {.clusters = {1, 1}}),
      specimen<Agg, WithoutLocalOwner>("preempt-aggregation@local-owner", "[Bertier 2004, fig. 6]",
                                       "ME1", {.requests = 2, .clusters = {2, 1, 1}, .eps = 1}),
      specimen<Agg, WithoutQueuedOwner>("preempt-aggregation@queued-owner",
                                        "[Bertier 2004, fig. 7]", "ME1",
                                        {.requests = 2, .clusters = {3, 1}}),
      specimen<Agg, WithoutStoredQueue>("preempt-aggregation@stored-queue",
                                        "[Bertier 2004, fig. 6]", "ME2",
                                        {.clusters = {2, 1}, .eps = 1}),
      specimen<Agg, WithoutFollowing>("preempt-aggregation@following", "[Bertier 2004, fig. 6]",
                                      "ME2", {.clusters = {2, 1}, .eps = 1}),
      specimen<Agg, WithoutReset>("preempt-aggregation@reset", "[Bertier 2004, fig. 5]",
                                  "bounded memory", {.clusters = {2, 1}, .eps = 1}),
      specimen<Agg, WithoutSetOwner>("preempt-aggregation@set-owner", "[Bertier 2004, fig. 5]",
                                     "one token", {.requests = 2, .clusters = {2, 1}}),
      specimen<Agg, WithoutLargerCount>("preempt-aggregation@larger-count",
                                        "[Bertier 2004, fig. 6]", "visit length",
                                        {.clusters = {3, 3, 3}, .eps = 3, .timed = true}),
      specimen<Agg, WithoutFullQueue>("preempt-aggregation@full-queue", "[Bertier 2004, fig. 6]",
                                      "invariants", {.clusters = {2, 1}}),
      specimen<Agg, WithoutSentQueue>("preempt-aggregation@as-published", "[Bertier 2004, fig. 8]",
                                      "visit length", {.clusters = {3, 3, 3}, .timed = true}),
  };
}

}  // namespace

std::vector<CatalogEntry> presets() {
  CatalogEntry trylock =
      fixed(refusing(variant<Elmp>("elmp-trylock", "[Hernane 2015, alg. 1] repaired", {})));
  trylock.about.messages = "O(N) under load";
  trylock.about.promises_progress = false;  // a refused requester may be overtaken for ever
  CatalogEntry polite = variant<Bully>("bully-polite", "[Coulouris 2011, exercise 11.8]",
                                       {.manners = Manners::polite});
  CatalogEntry unheard = variant<BullyListening>(
      "bully-polite@listening", "[Coulouris 2011, exercise 11.8]", {.manners = Manners::polite});
  std::vector<CatalogEntry> list = hierarchical_specimens();
  std::vector<CatalogEntry> others{
      variant<Elmp>("elmp-lazy", "[Hernane 2015, section 4.5]", {.balance = Balance::lazy}),
      trylock,
      refusing(specimen<Elmp, elmp::WithoutRetry>(
          "elmp@retry", "[Hernane 2015, alg. 1, lines 2 to 10]", "ME2", {.nodes = 3})),
      refusing(specimen<Elmp, elmp::WithoutTrackBack>("elmp@track-back", "[Hernane 2015, alg. 1]",
                                                      "structure", {.nodes = 4})),
      specimen<Elmp, elmp::WithoutHandover>(
          "elmp@handover", "[Hernane 2015, alg. 1, lines 12 to 15]", "structure", {.nodes = 4}),
      specimen<Elmp, elmp::WithoutAdjacency>("elmp@adjacency", "[Hernane 2015, alg. 1]",
                                             "structure"),
      specimen<Elmp, elmp::WithoutIdleToken>("elmp@idle-token", "[Hernane 2015, section 4.2]",
                                             "structure"),
      specimen<Elmp, elmp::WithoutAnnouncement>("elmp@announcement", "[Hernane 2015, section 4.1]",
                                                "structure", {.nodes = 3}),
      specimen<Elmp, elmp::WithoutLastMember>("elmp@last-member", "[Hernane 2015, alg. 2]", "ME2",
                                              {.nodes = 1, .leaves = 1}),
      specimen<Elmp, elmp::WithoutToldChildren>("elmp@told-children",
                                                "[Hernane 2015, alg. 2, lines 20 to 26]",
                                                "structure", {.nodes = 3, .leaves = 1}),
      specimen<Elmp, elmp::WithoutLeaveLock>("elmp@leave-lock", "[Hernane 2015, alg. 2, line 1]",
                                             "invariants", {.nodes = 3, .leaves = 1}),
      specimen<Elmp, elmp::WithoutDegree>("elmp@degree", "[Hernane 2015, section 4.5.1]",
                                          "structure", {.nodes = 4, .joins = 1}),
      specimen<Elmp, elmp::WithoutHeaviestLeaf>("elmp@heaviest-leaf",
                                                "[Hernane 2015, section 4.6.1]", "structure",
                                                {.nodes = 4, .leaves = 1}),
      specimen<Elmp, elmp::WithoutConfirmation>(
          "elmp@confirmation", "[Hernane 2015, section 4.1, step 3]", "invariants", {.nodes = 3}),
      specimen<Elmp, elmp::WithoutEarlyToken>("elmp@early-token",
                                              "[Hernane 2015, section 6.2, step 4]", "one token"),
      specimen<Elmp, elmp::WithoutReplacement>("elmp@replacement", "[Hernane 2015, section 4.6.1]",
                                               "ME2", {.nodes = 3, .leaves = 1}),
      specimen<Elmp, elmp::WithoutNodeWeight>("elmp@node-weight", "[Hernane 2015, section 3]",
                                              "structure", {.nodes = 4}),
      specimen<Elmp, elmp::WithoutSplicing>("elmp@splicing", "[Hernane 2015, section 6.3]",
                                            "structure", {.nodes = 3, .cancels = 1, .leaves = 1}),
      polite,
      unheard,
  };
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

}  // namespace conch
