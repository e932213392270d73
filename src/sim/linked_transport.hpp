// Carries messages over reliable links: exactly once and in order, whatever the network does.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/link.hpp"
#include "sim/transport.hpp"

namespace conch::sim {

class LinkedTransport {
 public:
  LinkedTransport(Wiring wiring, Duration first_repetition)
      : wiring_(wiring), first_repetition_(first_repetition) {}

  void send(const Posted& message, Time now);
  /// Returns the messages that a `frame` or `retransmit` event brings to its node, in order. They
  /// stay there until the next call.
  const std::vector<ArrivedMessage>& arrive(const Event& event, Time now);
  /// The message has been read.
  void done(Slot slot);
  /// The event's node does not exist: what it brings is lost.
  void drop(const Event& event);
  /// The node has crashed or left: its links end, and what was on them is lost.
  void disconnect(Node node);

 private:
  /// A message kept until every link and frame that mentions it is done with it.
  struct KeptMessage {
    KeptMessage(SimulatedNodes& simulated_nodes, const Posted& message)
        : simulated_nodes(simulated_nodes), message(message) {}
    KeptMessage(const KeptMessage&) = delete;
    KeptMessage& operator=(const KeptMessage&) = delete;
    ~KeptMessage() { simulated_nodes.discard(message.slot); }
    SimulatedNodes& simulated_nodes;
    Posted message;
  };
  using Payload = std::shared_ptr<KeptMessage>;
  using Frame = Link<Payload>::Frame;
  using Frames = Link<Payload>::Frames;

  struct LinkEnd {
    Link<Payload> link;
    bool armed = false;
    Time deadline;
    std::uint64_t undelivered = 0;
  };
  struct FrameOnWire {
    Frame frame;
    std::uint64_t session = 0;
  };

  void transmit(Node from, Node to, Frames& frames, Time now);
  void arm(LinkEnd& end, Node from, Node to, Time now);
  void receive(const Event& event, Time now);
  void retransmit(const Event& event, Time now);

  Wiring wiring_;
  Duration first_repetition_;
  std::map<std::pair<Node, Node>, LinkEnd> ends_;
  Slots<FrameOnWire> frames_;
  /// What arrived last, and the kept messages that are being read.
  std::vector<ArrivedMessage> arrived_;
  std::vector<Payload> read_;
  std::uint64_t session_ = 0;
  std::map<Node, std::uint64_t> connected_since_;
};

}  // namespace conch::sim
