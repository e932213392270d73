// Carries messages from one algorithm value to another through the network as it is.
#pragma once

#include <vector>

#include "core/flat_set.hpp"
#include "sim/event.hpp"
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

/// How many messages of the algorithm may still arrive, in all and from or to each node.
class InFlight {
 public:
  explicit InFlight(Node nodes) : of_(nodes) {}
  std::uint64_t total() const { return total_; }
  std::uint64_t of(Node node) const { return of_[node]; }
  void departed(Node from, Node to) {
    ++total_;
    ++of_[from];
    ++of_[to];
  }
  void arrived(Node from, Node to) {
    --total_;
    --of_[from];
    --of_[to];
  }

 private:
  std::uint64_t total_ = 0;
  std::vector<std::uint32_t> of_;
};

/// What a transport works with.
struct Wiring {
  NetworkModel& network;
  EventQueue<Event>& events;
  RunObserver& observer;
  SimulatedNodes& simulated_nodes;
  InFlight& in_flight;
};

/// Loses or repeats a message if the network does so.
class RawTransport {
 public:
  explicit RawTransport(Wiring wiring) : wiring_(wiring) {}

  void send(const Posted& message, Time now) {
    Arrivals arrivals = wiring_.network.carry(message.from, message.to, message.bytes, now);
    if (arrivals.copies != 1) note(message, arrivals.copies, now);
    for (int copy = 0; copy < arrivals.copies; ++copy) {
      wiring_.in_flight.departed(message.from, message.to);
      wiring_.events.push(arrivals.at[copy],
                          {.node = message.to,
                           .a = message.from,
                           .b = message.slot,
                           .what = What::deliver,
                           .kind = message.token ? token_flag : std::uint8_t{0}});
    }
  }
  /// The message has arrived; `done` follows when it has been read, or lost.
  ArrivedMessage arrive(const Event& event) {
    wiring_.in_flight.arrived(event.a, event.node);
    return {event.a, event.b, event.kind == token_flag};
  }
  void done(Slot slot) {
    if (twins_.empty() || !wait_for_twin(slot)) wiring_.simulated_nodes.discard(slot);
  }

 private:
  void note(const Posted& message, int copies, Time now);
  bool wait_for_twin(Slot slot);

  Wiring wiring_;
  /// Messages with two copies, neither of which has been read.
  FlatSet<Slot> twins_;
};

}  // namespace conch::sim
