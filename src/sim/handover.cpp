#include "sim/handover.hpp"

#include "catalog/catalog.hpp"
#include "sim/distribution.hpp"
#include "sim/event_queue.hpp"
#include "sim/handover_peers.hpp"

namespace conch::sim::handover {

namespace {

/// The event queue of the simulator, and wires that never fail.
class QueueEngine final : public HandoverEngine {
 public:
  explicit QueueEngine(const Wires& wires) : wires_(wires) {}

  Time now() const override { return now_; }
  void carry(const HandoverMessage& parcel, std::uint64_t bytes) override {
    events_.push(now_ + journey(wires_, parcel.from, parcel.to, bytes), parcel);
  }
  void remind(const Reminder& alarm, Duration delay) override { events_.push(now_ + delay, alarm); }

  void run(HandoverPeers& peers) {
    peers.start();
    while (!events_.empty()) {
      auto [at, order, event] = events_.pop();
      now_ = at;
      if (const auto* parcel = std::get_if<HandoverMessage>(&event)) peers.deliver(*parcel);
      if (const auto* alarm = std::get_if<Reminder>(&event)) peers.alarm(*alarm);
    }
  }

 private:
  Wires wires_;
  EventQueue<std::variant<HandoverMessage, Reminder>> events_;
  Time now_;
};

}  // namespace

void validate(const Workload& workload) {
  const CatalogEntry& entry = find_algorithm(workload.algorithm);
  if (entry.about.restless)
    throw BadText(workload.algorithm + " never comes to rest, which the peers wait for");
  if (workload.churners >= workload.peers)
    throw BadText("some peers must stay: give fewer churners than peers");
  if (workload.churners > 0 && !entry.can.dynamic)
    throw BadText("nobody can leave or join " + workload.algorithm);
}

Measured run(const Workload& workload) {
  QueueEngine engine(workload.wires);
  HandoverPeers peers(workload, engine);
  engine.run(peers);
  return peers.measured();
}

}  // namespace conch::sim::handover
