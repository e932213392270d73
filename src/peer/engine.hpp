// A running peer: a node behind one guard, which whoever has something to do works on itself.
//
// A thread that unlocks runs the algorithm and writes to the socket; one that waits receives its
// own token (driver.hpp). What is decided, the node decides (node/node.hpp).
#pragma once

#include <conch/deadline.hpp>
#include <conch/peer.hpp>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/sockets.hpp"
#include "node/node.hpp"
#include "peer/data_mover.hpp"
#include "peer/driver.hpp"
#include "peer/fork.hpp"
#include "peer/joining.hpp"
#include "peer/real_world.hpp"

namespace conch::peer {

using node::Witness;

class TraceFile;

/// So long from now; never, if that is for ever.
std::optional<Time> until(Duration left);

class Engine final : public std::enable_shared_from_this<Engine>,
                     private RegisterListener,
                     private Driven,
                     private Process {
 public:
  /// Is a member when it returns. Throws Error.
  explicit Engine(PeerOptions options);
  ~Engine() override;

  void leave();

  /// Its threads are in the parent of this process.
  bool is_inherited() const { return origin_.is_elsewhere(); }
  /// Throws Error unless it was made by this process.
  void expect_own() const {
    if (is_inherited()) fail_because_forked();
  }
  [[noreturn]] void fail_because_left() const;

  // Threads. A claim belongs to its caller; it has no place any more when it dies.

  LockDesk& open_desk(const std::string& lock);
  void close_desk(LockDesk& desk);

  Guard guard() {
    expect_own();
    return Guard(mutex_);
  }
  /// Takes a place in the line; it may be inside at once. Throws Error if the peer has left.
  void request(Claim& claim, LockDesk& desk, const Guard& guard);
  /// Until it waits no longer, or this time has come.
  void wait(ThreadClaim& claim, std::optional<Time> until, Guard& guard) {
    driver_.wait(claim, until, guard);
  }
  void wait(ThreadClaim& claim, const Deadline& deadline, Guard& guard);
  /// Leaves, or gives up its place.
  void give_up(Claim& claim, const Guard& guard);
  /// Called by the peer's own thread, without the guard. Under the guard.
  void call_later(std::function<void()> callback) { driver_.call_later(std::move(callback)); }

  const PeerOptions& options() const { return options_; }
  const std::string& group() const { return group_; }
  /// Where its Unix socket is, with a slash at the end.
  std::string socket_folder() const { return directories_.sockets + "/"; }
  /// Empty if a lock of this group can be shared.
  std::string why_not_shared() const;
  /// Throws Error if it cannot.
  void expect_sharing() const;
  /// Empty if data may travel with the locks of this group.
  std::string why_no_data() const;
  /// Where the data of a group that ends are kept; empty: nowhere.
  std::string data_folder() const;
  recovery::Life life() const;
  std::vector<std::string> listens() const { return listens_; }
  file::Descriptor proof() { return world_.proof(life()); }

  // To look at it, without the guard.

  /// How everybody is, as far as they answer within a second or so. Throws Error if this peer does
  /// not work.
  node::Status status();
  /// What this peer knows by itself.
  node::Status status_here();
  /// Which processes hold locks and which wait; begins to ask at once.
  std::future<node::Claims> ask_claims();
  /// It is told under the guard, until it looks away or the peer has gone.
  void watch(Witness& witness);
  void unwatch(Witness& witness);

  // Under the guard.

  node::Node& node() { return *node_; }
  const node::Node& node() const { return *node_; }
  bool has_lease() const { return node_->has_lease(net::steady_now()); }
  file::Descriptor lease_page() { return world_.lease_page(); }
  /// What a call wants done is done before it returns.
  void settle(Time now = net::steady_now());
  /// A lock that is here is not entered, nor kept, before one has heard who else wants it. So a
  /// thread that never waits does not keep others waiting.
  void listen();
  /// Whatever is due is done now.
  void look_at_clock();
  net::Sockets& sockets() { return *world_.sockets(); }
  DataMover& mover() { return mover_; }
  /// Bytes of data have come or gone.
  void tell_data(std::uint64_t sent, std::uint64_t received);
  /// What this process runs, for those who ask who holds a lock; its command line without.
  void describe(std::string command) { world_.describe(std::move(command)); }
  void log(const std::string& line, LogLevel level = LogLevel::warning) const override;
  /// Whoever drives calls it at least this often, while this peer is or may become a member. It
  /// comes from the loop that does the work, so that it ceases when that loop hangs; it neither
  /// blocks nor calls the engine.
  void beat_every(Duration period, std::function<void()> beat);

 private:
  // The register; by its desk's thread.
  void answered(const recovery::Life& asker, const recovery::Answer& answer) override;
  void register_changed() override;
  void register_trouble(const std::string& why) override;
  // The driver.
  void work(const net::Readiness& ready) override;
  Time wakes() const override;
  // The world.
  void phase_changed() override { phase_changed_.notify_all(); }
  void keep_house() override;

  [[noreturn]] static void fail_because_forked();
  void open(WayIn way);
  void come_in();
  std::string why_not_admitted() const;
  void note_whereabouts() const;
  void beat_if_due(Time now);
  void stop();

  Origin origin_;
  PeerOptions options_;
  std::string group_;
  /// The label with which it comes in.
  std::string cluster_;
  Directories directories_;
  std::vector<std::string> listens_;
  /// Why the socket could not be made again; empty: there is none, or nobody has removed it.
  std::string socket_trouble_;

  mutable std::mutex mutex_;
  std::condition_variable phase_changed_;
  DataMover mover_;
  RealWorld world_;
  std::unique_ptr<TraceFile> trace_;
  std::optional<node::Node> node_;
  Driver driver_;
  /// What the clock showed when the driver began to work.
  std::function<void()> beat_;
  Duration beat_period_{};
  Time next_beat_ = Time::max();
};

}  // namespace conch::peer
