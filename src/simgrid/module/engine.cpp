#include <cmath>
#include <functional>
#include <memory>
#include <simgrid/s4u.hpp>
#include <utility>

#include "sim/handover_peers.hpp"
#include "simgrid/module/interface.hpp"
#include "simgrid/module/platform.hpp"

namespace conch::simgrid {

namespace s4u = ::simgrid::s4u;

namespace {

using sim::handover::HandoverMessage;
using sim::handover::HandoverPeers;
using sim::handover::Measured;
using sim::handover::Reminder;
using sim::handover::Workload;

/// An engine in which actors carry out tasks. A task is a message that an actor carries from host
/// to host, or an alarm for which it sleeps. After that the actor calls the peers, and is free for
/// the next task.
///
/// SimGrid may switch actors whenever one of them calls it. So what peers ask for while they are
/// called is collected, and becomes tasks after the call.
class GridEngine final : public sim::handover::HandoverEngine {
 public:
  explicit GridEngine(std::vector<s4u::Host*> hosts) : hosts_(std::move(hosts)) {}

  Time now() const override { return Time(Duration(std::llround(s4u::Engine::get_clock() * 1e9))); }
  void carry(const HandoverMessage& parcel, std::uint64_t bytes) override {
    wishes_.emplace_back([this, parcel, bytes] {
      s4u::Comm::sendto(hosts_[parcel.from], hosts_[parcel.to], bytes);
      act([&] { peers_->deliver(parcel); });
    });
  }
  void remind(const Reminder& alarm, Duration delay) override {
    wishes_.emplace_back([this, alarm, delay] {
      s4u::this_actor::sleep_for(seconds_of(delay));
      act([&] { peers_->alarm(alarm); });
    });
  }

  /// Starts the peers, in an actor that ends when no task is left. The runners are daemons, and
  /// end with it.
  void start(HandoverPeers& peers) {
    peers_ = &peers;
    s4u::Actor::create("start", hosts_[0], [this] {
      act([&] { peers_->start(); });
      while (errands_ > 0) quiet_->acquire();
    });
  }

 private:
  using Task = std::function<void()>;
  struct Runner {
    Task errand;
    s4u::SemaphorePtr wanted = s4u::Semaphore::create(0);
  };

  template <class Call>
  void act(Call&& call) {
    call();
    for (Task& wish : std::exchange(wishes_, {})) send_out(std::move(wish));
  }

  void send_out(Task errand) {
    ++errands_;
    if (idle_.empty()) return hire(std::move(errand));
    Runner* runner = idle_.back();
    idle_.pop_back();
    runner->errand = std::move(errand);
    runner->wanted->release();
  }

  void hire(Task errand) {
    Runner* runner = runners_.emplace_back(std::make_unique<Runner>()).get();
    runner->errand = std::move(errand);
    s4u::Actor::create("runner", hosts_[0], [this, runner] {
      while (true) {
        std::exchange(runner->errand, nullptr)();
        idle_.push_back(runner);
        if (--errands_ == 0) quiet_->release();
        runner->wanted->acquire();
      }
    })->daemonize();
  }

  std::vector<s4u::Host*> hosts_;
  HandoverPeers* peers_ = nullptr;
  std::vector<Task> wishes_;
  std::size_t errands_ = 0;
  s4u::SemaphorePtr quiet_ = s4u::Semaphore::create(0);
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<Runner*> idle_;
};

/// Sanitizers can follow threads, but not the stacks between which SimGrid switches.
constexpr bool sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

std::vector<std::string> arguments(const sim::Grid& grid) {
  std::vector<std::string> arguments{"conch", "--log=xbt_cfg.thres:warning",
                                     "--log=ker_engine.thres:error",  // silent on Ctrl-C
                                     "--cfg=debug/verbose-exit:no"};
  for (const std::string& setting : settings(grid)) arguments.push_back(setting);
  if (sanitized()) arguments.emplace_back("--cfg=contexts/factory:thread");
  return arguments;
}

Measured run_here(const Workload& workload, const sim::Grid& grid) {
  std::vector<std::string> texts = arguments(grid);
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  s4u::Engine simgrid(&count, pointers.data());

  GridEngine engine(create_platform(grid, workload.peers));
  HandoverPeers peers(workload, engine);
  engine.start(peers);
  simgrid.run();
  return peers.measured();
}

}  // namespace
}  // namespace conch::simgrid

extern "C" void conch_run_on_simgrid(const conch::sim::handover::Workload& workload,
                                     const conch::sim::Grid& grid,
                                     conch::sim::handover::Measured& measured) {
  measured = conch::simgrid::run_here(workload, grid);
}
