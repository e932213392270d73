// From one algorithm value to another: through the network as it is, or over reliable links.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sim/event_queue.hpp"
#include "sim/link.hpp"
#include "sim/network.hpp"
#include "sim/observer.hpp"

namespace conch::sim {

/// A message that has arrived.
struct Arrived {
  Node from;
  Slot slot;
  bool token;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual void send(const Posted& message, Time now) = 0;
  /// What a `deliver`, `frame` or `retransmit` event brings to its node, in order.
  virtual void handle(const Event& event, Time now, std::vector<Arrived>& arrived) = 0;
  /// The message has been read.
  virtual void done(Slot slot) = 0;
  /// The event's node does not exist: what it brings is lost.
  virtual void drop(const Event& event) = 0;
  /// The node has crashed or left: its links end, and what was on them is lost.
  virtual void disconnect(Node node) = 0;
  /// Messages of the algorithm that may still arrive; and those from or to one node.
  std::uint64_t in_flight() const { return in_flight_; }
  std::uint64_t in_flight_of(Node node) const { return in_flight_of_[node]; }

 protected:
  explicit Transport(Node nodes) : in_flight_of_(nodes) {}
  void departed(Node from, Node to) {
    ++in_flight_;
    ++in_flight_of_[from];
    ++in_flight_of_[to];
  }
  void arrived(Node from, Node to) {
    --in_flight_;
    --in_flight_of_[from];
    --in_flight_of_[to];
  }

 private:
  std::uint64_t in_flight_ = 0;
  std::vector<std::uint32_t> in_flight_of_;
};

/// What a transport works with.
struct Wiring {
  Node nodes;
  Network& network;
  EventQueue& events;
  Observer& observer;
  Population& population;
};

/// A message is lost or repeated if the network does so.
std::unique_ptr<Transport> raw_transport(Wiring wiring);
/// Exactly once and in order, whatever the network does.
std::unique_ptr<Transport> linked_transport(Wiring wiring, Duration first_repetition);

}  // namespace conch::sim
