#include "sim/film_sink.hpp"

#include <utility>

namespace conch::sim {

namespace {

/// The index of the part that has this number, for parts of these sizes; the last part if they are
/// too few.
std::uint32_t part_of(std::uint32_t number, const std::vector<Node>& sizes) {
  std::uint32_t part = 0;
  while (part + 1 < sizes.size() && number >= sizes[part]) number -= sizes[part++];
  return part;
}

}  // namespace

FilmSink::FilmSink(film::RecordingInfo about, Node nodes, Cast cast)
    : film_(std::move(about)), cast_(std::move(cast)) {
  for (Node node = 0; node < nodes; ++node) place_of(node);
}

film::NodeIndex FilmSink::place_of(Node node) {
  if (places_.size() <= node) places_.resize(node + 1, film::none);
  film::NodeIndex& place = places_[node];
  if (place != film::none) return place;
  std::uint32_t cluster = part_of(node, cast_.clusters);
  film::Person person{std::to_string(node), cluster, part_of(cluster, cast_.sites)};
  if (node < cast_.ring.size()) person.ring = cast_.ring[node];
  return place = film_.add_node(std::move(person));
}

void FilmSink::write(const TraceEvent& event, const Causality*) {
  std::optional<film::NodeIndex> peer;
  if (event.peer) peer = place_of(*event.peer);
  film_.add({.at = event.at.time_since_epoch().count(),
             .happening = event.happening,
             .node = place_of(event.node),
             .peer = peer,
             .detail = event.detail,
             .state = event.state,
             .message = event.message});
}

void FilmSink::violate(const Violation& violation) {
  std::vector<film::NodeIndex> nodes;
  for (Node node : violation.nodes) nodes.push_back(place_of(node));
  film_.violation(word(violation.property), violation.what, std::move(nodes));
}

}  // namespace conch::sim
