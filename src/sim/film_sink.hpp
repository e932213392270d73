// A simulated run as a film.
#pragma once

#include <string>
#include <vector>

#include "film/film.hpp"
#include "sim/trace.hpp"

namespace conch::sim {

class FilmSink final : public TraceSink {
 public:
  /// Of nodes that have no clusters, one cluster; likewise the sites.
  FilmSink(film::About about, Node nodes, const std::vector<Node>& clusters = {},
           const std::vector<Node>& sites = {});

  bool wants_states() const override { return true; }
  void begin(Node node, const std::string& state) override { film_.initial_state(node, state); }
  void write(const TraceEvent& event, const Causality* clocks) override;
  void violate(const Violation& violation) override;

  film::Builder& film() { return film_; }

 private:
  film::Builder film_;
};

}  // namespace conch::sim
