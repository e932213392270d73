#include "sim/handover.hpp"

#include "catalog/catalog.hpp"
#include "sim/distribution.hpp"
#include "sim/event_queue.hpp"
#include "sim/handover_peers.hpp"

namespace conch::sim::handover {

namespace {

/// The event queue of the simulator, and wires that never fail.
class QueueEngine final : public Engine {
 public:
  explicit QueueEngine(const Wires& wires) : wires_(wires) {}

  Time now() const override { return now_; }
  void carry(const Parcel& parcel, std::uint64_t bytes) override {
    events_.push({.at = now_ + journey(wires_, parcel.from, parcel.to, bytes),
                  .node = parcel.to,
                  .a = parcel.from,
                  .b = parcel.slot,
                  .what = What::deliver,
                  .kind = parcel.of_handles});
  }
  void remind(const Alarm& alarm, Duration delay) override {
    events_.push({.at = now_ + delay,
                  .node = alarm.node,
                  .a = static_cast<std::uint32_t>(alarm.timer),
                  .b = alarm.number,
                  .what = alarm.what == Alarm::What::timer ? What::timer : What::think});
  }

  void run(Peers& peers) {
    peers.start();
    while (!events_.empty()) {
      Event event = events_.pop();
      now_ = event.at;
      if (event.what == What::deliver) {
        peers.deliver({event.a, event.node, event.b, event.kind != 0});
      } else {
        auto what = event.what == What::timer ? Alarm::What::timer : Alarm::What::step;
        peers.alarm({event.node, what, TimerId{static_cast<std::uint8_t>(event.a)}, event.b});
      }
    }
  }

 private:
  Wires wires_;
  EventQueue events_;
  Time now_;
};

}  // namespace

void validate(const Workload& workload) {
  const CatalogEntry& entry = find_algorithm(workload.algorithm);
  if (entry.about.restless)
    throw BadText(workload.algorithm + " never comes to rest, and the peers wait until it does");
  if (workload.churners >= workload.peers)
    throw BadText("somebody has to stay: fewer churners than peers");
  if (workload.churners > 0 && !entry.can.dynamic)
    throw BadText("nobody can leave or join " + workload.algorithm);
}

Measured run(const Workload& workload) {
  QueueEngine engine(workload.wires);
  Peers peers(workload, engine);
  engine.run(peers);
  return peers.measured();
}

}  // namespace conch::sim::handover
