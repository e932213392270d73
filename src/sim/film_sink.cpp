#include "sim/film_sink.hpp"

#include <utility>

namespace conch::sim {

FilmSink::FilmSink(film::About about, Node nodes, const std::vector<Node>& clusters,
                   const std::vector<Node>& sites)
    : film_(std::move(about)) {
  Node cluster = 0, site = 0, left_of_cluster = 0, left_of_site = 0;
  if (!clusters.empty()) left_of_cluster = clusters[0];
  if (!sites.empty()) left_of_site = sites[0];
  for (Node node = 0; node < nodes; ++node) {
    while (left_of_cluster == 0 && cluster + 1 < clusters.size()) {
      left_of_cluster = clusters[++cluster];
      if (--left_of_site == 0 && site + 1 < sites.size()) left_of_site = sites[++site];
    }
    --left_of_cluster;
    film_.add_node({std::to_string(node), cluster, site});
  }
}

void FilmSink::write(const TraceEvent& event, const Causality*) {
  film_.add({.at = event.at.time_since_epoch().count(),
             .happening = event.happening,
             .node = event.node,
             .peer = event.peer,
             .detail = event.detail,
             .state = event.state,
             .message = event.message});
}

void FilmSink::violate(const Violation& violation) {
  film_.violation(word(violation.property), violation.what, violation.nodes);
}

}  // namespace conch::sim
