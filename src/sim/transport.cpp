#include "sim/transport.hpp"

#include <utility>

namespace conch::sim {

namespace {

class RawTransport final : public Transport {
 public:
  explicit RawTransport(Wiring wiring) : Transport(wiring.nodes), wiring_(wiring) {}

  void send(const Posted& message, Time now) override {
    Arrivals arrivals = wiring_.network.carry(message.from, message.to, message.bytes, now);
    if (copies_.size() <= message.slot) copies_.resize(message.slot + 1);
    copies_[message.slot] = static_cast<std::uint8_t>(arrivals.copies);
    if (arrivals.copies == 0) {
      wiring_.observer.lost(message, now);
      wiring_.simulated_nodes.discard(message.slot);
    }
    if (arrivals.copies > 1) wiring_.observer.duplicated(message, now);
    for (int copy = 0; copy < arrivals.copies; ++copy) {
      departed(message.from, message.to);
      wiring_.events.push(arrivals.at[copy],
                          {.node = message.to,
                           .a = message.from,
                           .b = message.slot,
                           .what = What::deliver,
                           .kind = message.token ? token_flag : std::uint8_t{0}});
    }
  }
  void done(Slot slot) override {
    if (--copies_[slot] == 0) wiring_.simulated_nodes.discard(slot);
  }
  void drop(const Event& event) override {
    arrived(event.a, event.node);
    done(event.b);
  }
  void disconnect(Node) override {}

 private:
  Wiring wiring_;
  /// By slot: how many copies are still to be read.
  std::vector<std::uint8_t> copies_;
};

class LinkedTransport final : public Transport {
 public:
  LinkedTransport(Wiring wiring, Duration first_repetition)
      : Transport(wiring.nodes), wiring_(wiring), first_repetition_(first_repetition) {}

  void send(const Posted& message, Time now) override {
    LinkEnd& end = ends_[{message.from, message.to}];
    Frames frames;
    if (!end.link.send(std::make_shared<KeptMessage>(wiring_.simulated_nodes, message), frames)) {
      wiring_.observer.lost(message, now);
      return;
    }
    departed(message.from, message.to);
    ++end.undelivered;
    transmit(message.from, message.to, frames, now);
    arm(end, message.from, message.to, now);
  }

  void handle(const Event& event, Time now, std::vector<ArrivedMessage>& arrived) override {
    event.what == What::frame ? receive(event, now, arrived) : retransmit(event, now);
  }

  void done(Slot slot) override {
    std::erase_if(read_, [&](const Payload& payload) { return payload->message.slot == slot; });
  }
  void drop(const Event& event) override {
    if (event.what == What::frame) frames_.take(event.b);
  }

  void disconnect(Node node) override {
    ++session_;  // frames of the old session are dropped
    std::erase_if(ends_, [&](const auto& entry) {
      auto [from, to] = entry.first;
      bool ends_here = from == node || to == node;
      for (auto left = entry.second.undelivered; ends_here && left > 0; --left) arrived(from, to);
      return ends_here;
    });
    connected_since_[node] = session_;
  }

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

  void transmit(Node from, Node to, Frames& frames, Time now) {
    for (Frame& frame : frames) {
      std::uint32_t bytes = header_bytes + (frame.payload ? (*frame.payload)->message.bytes : 0);
      Arrivals arrivals = wiring_.network.carry(from, to, bytes, now);
      for (int copy = 0; copy < arrivals.copies; ++copy)
        wiring_.events.push(
            arrivals.at[copy],
            {.node = to, .a = from, .b = frames_.put({frame, session_}), .what = What::frame});
    }
  }

  void arm(LinkEnd& end, Node from, Node to, Time now) {
    if (end.armed || !end.link.wants_timer()) return;
    end.armed = true;
    end.deadline = now + retransmission_delay(first_repetition_, end.link.attempts());
    wiring_.events.push(end.deadline, {.node = from, .a = to, .what = What::retransmit});
  }

  void receive(const Event& event, Time now, std::vector<ArrivedMessage>& arrived) {
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
      Transport::arrived(event.a, event.node);
      --ends_[{event.a, event.node}].undelivered;
      arrived.push_back({event.a, payload->message.slot, payload->message.token});
      read_.push_back(std::move(payload));
    }
  }

  void retransmit(const Event& event, Time now) {
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

  /// About the size of sequence number, acknowledgement and frame length.
  static constexpr std::uint32_t header_bytes = 12;

  Wiring wiring_;
  Duration first_repetition_;
  std::map<std::pair<Node, Node>, LinkEnd> ends_;
  Slots<FrameOnWire> frames_;
  /// Kept messages that are being read.
  std::vector<Payload> read_;
  std::uint64_t session_ = 0;
  std::map<Node, std::uint64_t> connected_since_;
};

}  // namespace

std::unique_ptr<Transport> raw_transport(Wiring wiring) {
  return std::make_unique<RawTransport>(wiring);
}

std::unique_ptr<Transport> linked_transport(Wiring wiring, Duration first_repetition) {
  return std::make_unique<LinkedTransport>(wiring, first_repetition);
}

}  // namespace conch::sim
