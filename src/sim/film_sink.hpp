// Records a simulated run as a film.
#pragma once

#include <string>
#include <vector>

#include "film/film.hpp"
#include "sim/trace.hpp"

namespace conch::sim {

class FilmSink final : public TraceSink {
 public:
  struct Cast {
    /// The sizes of the clusters, in order, and how many of them each site has.
    std::vector<Node> clusters = {};
    std::vector<Node> sites = {};
    /// Places on the ring of an overlay, by node.
    std::vector<std::uint64_t> ring = {};
  };

  /// The first `nodes` nodes exist from the beginning, others from their first event.
  FilmSink(film::RecordingInfo about, Node nodes, Cast cast);

  bool wants_states() const override { return true; }
  void begin(Node node, const std::string& state) override {
    film_.initial_state(place_of(node), state);
  }
  void write(const TraceEvent& event, const Causality* clocks) override;
  void violate(const Violation& violation) override;

  film::Builder& film() { return film_; }

 private:
  film::NodeIndex place_of(Node node);

  film::Builder film_;
  Cast cast_;
  /// Each node's index in the film.
  std::vector<film::NodeIndex> places_;
};

}  // namespace conch::sim
