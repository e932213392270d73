// The peers of a handover: everything but the network and the clock, which an engine has.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "sim/data_peer.hpp"
#include "sim/handover.hpp"
#include "sim/handover_record.hpp"
#include "sim/simulated_nodes.hpp"

namespace conch::sim::handover {

/// A message on its way. The peers keep its content.
struct HandoverMessage {
  Node from = 0;
  Node to = 0;
  Slot slot = 0;
  /// Between handles, or between lock managers.
  bool of_handles = false;
};

/// What a peer will be reminded of.
struct Reminder {
  enum class What : std::uint8_t { step, timer };
  Node node = 0;
  What what = What::step;
  /// A timer of the lock manager, and how many times it had been armed.
  TimerId timer{};
  std::uint32_t number = 0;
};

/// Carries messages and keeps the clock. It is called while a call of HandoverPeers runs and must
/// not call back before that call returns.
class HandoverEngine {
 public:
  virtual Time now() const = 0;
  virtual void carry(const HandoverMessage& parcel, std::uint64_t bytes) = 0;
  virtual void remind(const Reminder& alarm, Duration delay) = 0;

 protected:
  ~HandoverEngine() = default;
};

class HandoverPeers final : private EffectSink, private DataPeer::Outlet {
 public:
  HandoverPeers(const Workload& workload, HandoverEngine& engine);

  // Calls of the engine.

  void start();
  void deliver(const HandoverMessage& parcel);
  void alarm(const Reminder& alarm);

  /// Throws Stuck unless every peer has done what it should.
  Measured measured() const;

 private:
  /// What the application does next.
  enum class Step : std::uint8_t {
    create,
    begin,
    request,
    acquire,
    use,
    release,
    request_in_vain,
    request_again,
    give_up,
    give_up_again,
    destroy,
    finished,
  };
  enum class Presence : std::uint8_t {
    member,
    draining,  // it has left; its messages must arrive before it returns
    away,
  };
  struct Peer {
    Peer(NodeId self, const dho::HandleOptions& options, DataPeer::Outlet& outlet)
        : data(self, options, outlet) {}

    DataPeer data;
    Step step = Step::create;
    bool churns = false;
    Presence presence = Presence::member;
    /// It is a member from the beginning, before its first create.
    bool founds = true;
    bool wants_in = false;
    /// Messages from it and to it; its next incarnation must meet none of them.
    std::uint32_t in_flight = 0;
    std::uint64_t cycles = 0;
    Cycle cycle;
  };
  struct Happened {
    Node node;
    Effect effect;
  };

  // EffectSink, called by the lock managers.
  void post(const Posted& message) override;
  void entered(Node node, const Entered& entered) override;
  void withdrawn(Node node) override { happened(node, Withdrawn{}); }
  void joined(Node node) override { happened(node, Joined{}); }
  void left(Node node) override { happened(node, Left{}); }
  void armed(Node node, const Armed& armed) override;
  void disarmed(Node node, TimerId timer) override;
  void happened(Node node, Effect effect) { happened_.push_back({node, std::move(effect)}); }

  /// Runs until nothing is left to do at this instant.
  void settle();
  void tell(const Happened& happened);

  // Handles, and their data.
  Time now() const override { return engine_.now(); }
  void order(NodeId id, const dho::Order& order) override;
  void release(NodeId id, const DataRef& data) override;
  void send(NodeId from, NodeId to, Letter letter) override;
  void receive(const HandoverMessage& parcel);

  // Membership.
  void come(Node node);
  void go(Node node);
  void carry(const HandoverMessage& parcel, std::uint64_t bytes);
  void see_off(Node node);
  void publish_roster();

  // Applications.
  void act(Node node);
  void create(Node node);
  void acquire(Node node);
  void use(Node node);
  void finish_cycle(Node node);
  void sleep(Node node, Duration duration, Step then);
  void next(Node node, Step step);

  Workload workload_;
  HandoverEngine& engine_;
  Random random_;
  std::unique_ptr<SimulatedNodes> simulated_nodes_;
  std::optional<std::size_t> swap_kind_;
  std::deque<Peer> peers_;
  Members roster_;

  /// Effects of lock managers that handles were not told yet, and the nodes that act at this
  /// instant.
  std::deque<Happened> happened_;
  std::deque<Node> acting_;
  /// Messages between handles that are on their way.
  Slots<Letter> letters_;
  std::vector<std::uint32_t> timers_;

  std::optional<Node> holder_;
  Node steady_left_ = 0;
  Record record_;
};

}  // namespace conch::sim::handover
