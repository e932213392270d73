// Who waits for the sockets.
//
// A thread that waits for a lock drives: it waits for the sockets, and works on what comes, until
// its own lock has come. Of several that wait one drives, and the others are woken when theirs has
// come or when it is their turn to drive. The background thread drives while nobody waits; it takes
// over a moment after the last one has stopped, for that one is likely to wait again soon, and to
// wake a thread costs more than a message.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "net/sockets.hpp"
#include "peer/thread_claim.hpp"
#include "register/directory.hpp"

namespace conch::peer {

using Guard = std::unique_lock<std::mutex>;

/// What a driver drives. Called under the guard.
class Driven {
 public:
  virtual ~Driven() = default;
  virtual void work(const net::Readiness& ready) = 0;
  /// When there is work even if nothing happens.
  virtual Time wakes() const = 0;
};

/// Everything but `guard` is called under it.
class Driver {
 public:
  /// Throws Error if there are too many open files.
  Driver(std::mutex& mutex, Driven& driven);

  void start(net::Sockets& sockets);
  /// Without the guard: waits for the background thread, which makes the calls that are due first.
  void stop();
  bool is_running() const { return thread_.joinable(); }
  bool is_stopping() const { return stopping_; }

  /// Until it waits no longer, or this time has come.
  void wait(ThreadClaim& claim, std::optional<Time> until, Guard& guard);
  /// Until no thread waits any more.
  void await_nobody(Guard& guard);
  /// Called by the background thread, without the guard.
  void call_later(std::function<void()> callback);
  /// There may be work earlier than whoever drives believes.
  void rouse();
  void rouse_background() const;
  /// Who has heard the bell may not be whom it rang for: a thread that drives sleeps on if somebody
  /// else has silenced it.
  void ring_again();

 private:
  void start_driving();
  void drive(ThreadClaim& claim, std::optional<Time> until, Guard& guard);
  void find_driver();
  void background();
  void call_back(Guard& guard);
  void stand_by(Guard& guard);
  void drive_in_background(Guard& guard);

  std::mutex& mutex_;
  Driven& driven_;
  net::Sockets* sockets_ = nullptr;
  bool thread_drives_ = false;
  bool background_drives_ = false;
  bool takeover_due_ = false;
  /// Longer while threads wait again and again, for then it would be for nothing.
  Duration takeover_delay_{};
  /// When the driver wakes by itself.
  Time driver_until_ = Time::max();
  std::vector<ThreadClaim*> waiting_;
  std::condition_variable nobody_waits_;
  std::vector<std::function<void()>> callbacks_;
  bool stopping_ = false;
  file::Descriptor background_wake_;
  file::Descriptor takeover_timer_;
  std::thread thread_;
};

}  // namespace conch::peer
