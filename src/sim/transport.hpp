// Carries messages from one algorithm value to another: through the network as it is, or over
// reliable links.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sim/event.hpp"
#include "sim/link.hpp"
#include "sim/network.hpp"
#include "sim/observer.hpp"

namespace conch::sim {

/// The kind of a `deliver` event whose message has the token.
constexpr std::uint8_t token_flag = 1;

/// A message that has arrived.
struct ArrivedMessage {
  Node from;
  Slot slot;
  bool token;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual void send(const Posted& message, Time now) = 0;
  /// Appends the messages that a `frame` or `retransmit` event brings to its node, in order; a
  /// `deliver` event is itself a message.
  virtual void handle(const Event&, Time, std::vector<ArrivedMessage>&) {}
  /// The message has been read.
  virtual void done(Slot slot) = 0;
  /// The event's node does not exist: what it brings is lost.
  virtual void drop(const Event& event) = 0;
  /// The node has crashed or left: its links end, and what was on them is lost.
  virtual void disconnect(Node node) = 0;
  /// Messages of the algorithm that may still arrive; and those from or to one node.
  std::uint64_t in_flight() const { return in_flight_; }
  std::uint64_t in_flight_of(Node node) const { return in_flight_of_[node]; }
  void arrived(Node from, Node to) {
    --in_flight_;
    --in_flight_of_[from];
    --in_flight_of_[to];
  }

 protected:
  explicit Transport(Node nodes) : in_flight_of_(nodes) {}
  void departed(Node from, Node to) {
    ++in_flight_;
    ++in_flight_of_[from];
    ++in_flight_of_[to];
  }

 private:
  std::uint64_t in_flight_ = 0;
  std::vector<std::uint32_t> in_flight_of_;
};

/// What a transport works with.
struct Wiring {
  Node nodes;
  NetworkModel& network;
  EventQueue<Event>& events;
  RunObserver& observer;
  SimulatedNodes& simulated_nodes;
};

/// A message is lost or repeated if the network does so.
std::unique_ptr<Transport> raw_transport(Wiring wiring);
/// Delivers exactly once and in order, whatever the network does.
std::unique_ptr<Transport> linked_transport(Wiring wiring, Duration first_repetition);

}  // namespace conch::sim
