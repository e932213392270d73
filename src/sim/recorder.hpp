// Between a world and its sink: if the sink wants states, an event waits for the end of its call,
// when the state that follows it is known.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/trace.hpp"

namespace conch::sim {

class Recorder {
 public:
  /// The state of a node; empty if the node is not there.
  using StateOf = std::function<std::string(Node)>;

  Recorder(TraceSink* sink, StateOf state_of)
      : sink_(sink),
        state_of_(std::move(state_of)),
        states_(sink != nullptr && sink->wants_states()) {}

  bool records() const { return sink_ != nullptr; }
  /// The node is there, and nothing has happened yet.
  void begin(Node node);
  /// A sink that wants states gets no clocks.
  void write(TraceEvent event, const Causality* clocks);
  /// Shows the violation after everything that was written before.
  void violate(const Violation& violation);

  // Around every call into the nodes. An algorithm does all of a call before any event of it is
  // written; the last event before a call may be its cause.
  void before_call(Node node) {
    if (!held_.empty()) let_go(held_.size() - (held_.back().node == node ? 1 : 0));
  }
  void after_call() { let_go(held_.size()); }
  /// Nothing more happens.
  void end() { let_go(held_.size()); }

 private:
  /// Writes the first so many events.
  void let_go(std::size_t events) {
    if (events > 0) write_out(events);
  }
  void write_out(std::size_t events);

  TraceSink* sink_;
  StateOf state_of_;
  bool states_;
  std::vector<TraceEvent> held_;
};

}  // namespace conch::sim
