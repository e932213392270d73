// A running peer: a node behind one mutex (the guard). Any thread that has something to do works on
// the node itself.
//
// A thread that unlocks runs the algorithm and writes to the socket; one that waits receives its
// own token (driver.hpp). The node makes all decisions (node/node.hpp).
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
#include "peer/build.hpp"
#include "peer/data_mover.hpp"
#include "peer/driver.hpp"
#include "peer/fork.hpp"
#include "peer/joining.hpp"
#include "peer/real_world.hpp"

namespace conch::peer {

using node::Observer;

class TraceFile;

/// The time this far from now; none if that is for ever.
std::optional<Time> until(Duration left);

class Engine final : public std::enable_shared_from_this<Engine>,
                     private RegisterListener,
                     private Driven,
                     private HostProcess {
 public:
  /// Returns when the peer is a member. Throws Error.
  explicit Engine(PeerOptions options, const Build& build = {});
  ~Engine() override;

  void leave();

  /// Whether this process is a forked child, which has none of the engine's threads.
  bool is_inherited() const { return origin_.is_elsewhere(); }
  /// Throws Error in a forked child.
  void expect_own() const {
    if (is_inherited()) fail_because_forked();
  }
  [[noreturn]] void fail_because_left() const;

  // These calls are for threads. A claim belongs to its caller, and must have no place in a queue
  // when it is destroyed.

  LocalLock& open_local_lock(const std::string& lock);
  void close_local_lock(LocalLock& local_lock);

  Guard guard() {
    expect_own();
    return Guard(mutex_);
  }
  /// Takes a place in the queue; the claim may be inside at once. Throws Error if the peer has
  /// left.
  void request(Claim& claim, LocalLock& local_lock, const Guard& guard);
  /// Returns when the claim is no longer waiting, or at this time.
  void wait(ThreadClaim& claim, std::optional<Time> until, Guard& guard) {
    driver_.wait(claim, until, guard);
  }
  void wait(ThreadClaim& claim, const Deadline& deadline, Guard& guard);
  /// Gives up the lock or the place in the queue.
  void give_up(Claim& claim, const Guard& guard);
  /// The background thread calls the callback, without the guard. Call this under the guard.
  void call_later(std::function<void()> callback) { driver_.call_later(std::move(callback)); }

  const PeerOptions& options() const { return options_; }
  const Build& build() const { return build_; }
  const std::string& group() const { return group_; }
  /// The folder of its Unix socket, with a slash at the end.
  std::string socket_folder() const { return directories_.sockets + "/"; }
  /// Why locks of this group cannot be shared; empty if they can.
  std::string why_not_shared() const;
  /// Throws Error if locks cannot be shared.
  void expect_sharing() const;
  /// Why no data can travel with locks of this group; empty if they can.
  std::string why_no_data() const;
  /// Where the data of a group that ends are kept; empty if they are not kept.
  std::string data_folder() const;
  PeerInstance life() const;
  std::vector<std::string> listens() const { return listens_; }
  net::Descriptor proof() { return world_.proof(life()); }

  // Call these without the guard.

  /// Asks all members for their status, for about a second. Throws Error if this peer is not a
  /// member.
  node::Status status();
  /// What this peer knows by itself.
  node::Status status_here();
  /// Starts to ask which processes hold locks and which wait.
  std::future<node::Claims> ask_claims();
  /// Calls the observer under the guard, until `unwatch` or until the peer has gone.
  void watch(Observer& observer);
  void unwatch(Observer& observer);

  // Call these under the guard.

  node::Node& node() { return *node_; }
  const node::Node& node() const { return *node_; }
  bool has_lease() const { return node_->has_lease(net::steady_now()); }
  net::Descriptor lease_page() { return world_.lease_page(); }
  /// Carries out what the calls on the node have made necessary. Every call settles before it
  /// returns.
  void settle(Time now = net::steady_now());
  /// Reads what has arrived before a lock that is here is entered or given back, so that the peer
  /// knows who else wants it. Otherwise a thread that never waits would starve the other peers.
  void listen();
  /// Lets the node do whatever is due now.
  void look_at_clock();
  net::Sockets& sockets() { return *world_.sockets(); }
  DataMover& mover() { return mover_; }
  /// Reports to the observers how many bytes of data have come or gone.
  void tell_data(std::uint64_t sent, std::uint64_t received);
  /// Sets the command that this process reports to those who ask which processes hold a lock
  /// (default: its command line).
  void describe(std::string command) { world_.describe(std::move(command)); }
  void log(const std::string& line, LogLevel level = LogLevel::warning) const override;
  /// The driving thread calls `beat` at least once per period while this peer is or may become a
  /// member. The call comes from the loop that does the work, so it stops if that loop hangs.
  /// `beat` must not block or call the engine.
  void beat_every(Duration period, std::function<void()> beat);

 private:
  // RegisterListener; called by the register's thread.
  void answered(const PeerInstance& asker, const recovery::RegisterAnswer& answer) override;
  void register_changed() override;
  void register_trouble(const std::string& why) override;
  // Driven.
  void work(const net::Readiness& ready) override;
  Time wakes() const override;
  // HostProcess.
  void phase_changed() override { phase_changed_.notify_all(); }
  void keep_house() override;

  [[noreturn]] static void fail_because_forked();
  void open(WayIn way);
  void come_in();
  std::string why_not_admitted() const;
  void note_ring_index() const;
  void beat_if_due(Time now);
  void stop();

  Origin origin_;
  PeerOptions options_;
  Build build_;
  std::string group_;
  /// The cluster label with which it joins.
  std::string cluster_;
  Directories directories_;
  std::vector<std::string> listens_;
  /// Why the socket could not be made again; empty if it could, or if it was not removed.
  std::string socket_trouble_;

  mutable std::mutex mutex_;
  std::condition_variable phase_changed_;
  DataMover mover_;
  RealWorld world_;
  std::unique_ptr<TraceFile> trace_;
  std::optional<node::Node> node_;
  Driver driver_;
  std::function<void()> beat_;
  Duration beat_period_{};
  Time next_beat_ = Time::max();
};

}  // namespace conch::peer
