#include "sim/linked_transport.hpp"

namespace conch::sim {

namespace {
/// About the size of sequence number, acknowledgement and frame length.
constexpr std::uint32_t header_bytes = 12;
}  // namespace

void LinkedTransport::send(const Posted& message, Time now) {
  LinkEnd& end = ends_[{message.from, message.to}];
  Frames frames;
  if (!end.link.send(std::make_shared<KeptMessage>(wiring_.simulated_nodes, message), frames)) {
    wiring_.observer.lost(message, now);
    return;
  }
  wiring_.in_flight.departed(message.from, message.to);
  ++end.undelivered;
  transmit(message.from, message.to, frames, now);
  arm(end, message.from, message.to, now);
}

const std::vector<ArrivedMessage>& LinkedTransport::arrive(const Event& event, Time now) {
  arrived_.clear();
  event.what == What::frame ? receive(event, now) : retransmit(event, now);
  return arrived_;
}

void LinkedTransport::done(Slot slot) {
  std::erase_if(read_, [&](const Payload& payload) { return payload->message.slot == slot; });
}

void LinkedTransport::drop(const Event& event) {
  if (event.what == What::frame) frames_.take(event.b);
}

void LinkedTransport::disconnect(Node node) {
  ++session_;  // frames of the old session are dropped
  std::erase_if(ends_, [&](const auto& entry) {
    auto [from, to] = entry.first;
    bool ends_here = from == node || to == node;
    for (auto left = entry.second.undelivered; ends_here && left > 0; --left)
      wiring_.in_flight.arrived(from, to);
    return ends_here;
  });
  connected_since_[node] = session_;
}

void LinkedTransport::transmit(Node from, Node to, Frames& frames, Time now) {
  for (Frame& frame : frames) {
    std::uint32_t bytes = header_bytes + (frame.payload ? (*frame.payload)->message.bytes : 0);
    Arrivals arrivals = wiring_.network.carry(from, to, bytes, now);
    for (int copy = 0; copy < arrivals.copies; ++copy)
      wiring_.events.push(
          arrivals.at[copy],
          {.node = to, .a = from, .b = frames_.put({frame, session_}), .what = What::frame});
  }
}

void LinkedTransport::arm(LinkEnd& end, Node from, Node to, Time now) {
  if (end.armed || !end.link.wants_timer()) return;
  end.armed = true;
  end.deadline = now + retransmission_delay(first_repetition_, end.link.attempts());
  wiring_.events.push(end.deadline, {.node = from, .a = to, .what = What::retransmit});
}

void LinkedTransport::receive(const Event& event, Time now) {
  FrameOnWire wire = frames_.take(event.b);
  if (wire.session < std::max(connected_since_[event.node], connected_since_[event.a])) return;
  LinkEnd& end = ends_[{event.node, event.a}];
  std::size_t unacknowledged = end.link.unacknowledged();
  Frames answers;
  std::vector<Payload> delivered;
  end.link.receive(wire.frame, answers, delivered);
  if (end.link.unacknowledged() < unacknowledged)
    end.deadline = now + retransmission_delay(first_repetition_, end.link.attempts());
  transmit(event.node, event.a, answers, now);
  for (Payload& payload : delivered) {
    wiring_.in_flight.arrived(event.a, event.node);
    --ends_[{event.a, event.node}].undelivered;
    arrived_.push_back({event.a, payload->message.slot, payload->message.token});
    read_.push_back(std::move(payload));
  }
}

void LinkedTransport::retransmit(const Event& event, Time now) {
  auto found = ends_.find({event.node, event.a});
  if (found == ends_.end()) return;
  LinkEnd& end = found->second;
  if (!end.link.wants_timer()) {
    end.armed = false;
    return;
  }
  if (now >= end.deadline) {
    Frames frames;
    end.link.timeout(frames);
    transmit(event.node, event.a, frames, now);
    end.armed = false;
    return arm(end, event.node, event.a, now);
  }
  wiring_.events.push(end.deadline, {.node = event.node, .a = event.a, .what = What::retransmit});
}

}  // namespace conch::sim
