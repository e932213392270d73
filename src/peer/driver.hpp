// Decides which thread waits for the sockets.
//
// A thread that waits for a lock drives: it waits for the sockets and works on what comes, until it
// has its lock. If several threads wait, one of them drives, and each of the others is woken when
// it has its lock or when it is its turn to drive. The background thread drives while no other
// thread waits. It takes over a moment after the last one has stopped, because that thread is
// likely to wait again soon, and waking a thread costs more than a message.
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

/// What a driver drives. All calls are made under the guard.
class Driven {
 public:
  virtual ~Driven() = default;
  virtual void work(const net::Readiness& ready) = 0;
  /// When there is work to do even without an event.
  virtual Time wakes() const = 0;
};

/// Call everything under the guard, except as noted.
class Driver {
 public:
  /// Throws Error if there are too many open files.
  Driver(std::mutex& mutex, Driven& driven);

  void start(net::Sockets& sockets);
  /// Call it without the guard. Waits for the background thread, which makes all due callbacks
  /// first.
  void stop();
  bool is_running() const { return thread_.joinable(); }
  bool is_stopping() const { return stopping_; }

  /// Returns when the claim is no longer waiting, or at this time.
  void wait(ThreadClaim& claim, std::optional<Time> until, Guard& guard);
  /// Returns when no thread waits any more.
  void await_nobody(Guard& guard);
  /// The background thread calls the callback, without the guard.
  void call_later(std::function<void()> callback);
  /// Wakes the driving thread if there is work earlier than it knows.
  void rouse();
  void rouse_background() const;
  /// Another thread may have consumed the wake-up: pokes a driving thread whose lock has come, so
  /// that it does not sleep on.
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
  /// Grows while threads wait again and again, as taking over would be useless then.
  Duration takeover_delay_{};
  /// When the driving thread wakes by itself.
  Time driver_until_ = Time::max();
  std::vector<ThreadClaim*> waiting_;
  std::condition_variable nobody_waits_;
  std::vector<std::function<void()>> callbacks_;
  bool stopping_ = false;
  net::Descriptor background_wake_;
  net::Descriptor takeover_timer_;
  std::thread thread_;
};

}  // namespace conch::peer
