#include "sim/recorder.hpp"

namespace conch::sim {

void Recorder::begin(Node node) {
  if (!states_) return;
  std::string state = state_of_(node);
  if (!state.empty()) sink_->begin(node, state);
}

void Recorder::write(TraceEvent event, const Causality* clocks) {
  if (!states_) return sink_->write(event, clocks);
  held_.push_back(std::move(event));
}

void Recorder::violate(const Violation& violation) {
  if (sink_ == nullptr) return;
  end();
  sink_->violate(violation);
}

void Recorder::write_out(std::size_t events) {
  for (std::size_t i = 0; i < events; ++i) {
    TraceEvent& event = held_[i];
    bool same = i > 0 && held_[i - 1].node == event.node;
    event.state = same ? held_[i - 1].state : state_of_(event.node);
    sink_->write(event, nullptr);
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(events));
}

}  // namespace conch::sim
