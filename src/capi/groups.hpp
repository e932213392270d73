// The groups this process is in. Each is joined once, however many handles use it, and left when
// the last of them lets go. Any number of threads may call. Joining or leaving one group does not
// block callers that want another.
#pragma once

#include <chrono>
#include <conch/peer.hpp>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace conch::capi {

class Groups {
 public:
  /// The instance of this process. It is never destroyed, as threads may still use it when the
  /// process ends.
  static Groups& of_process();

  /// The name of the group to use: `given`, else the default that was set, else $CONCH_GROUP, else
  /// "default".
  std::string meant(const char* given);
  /// An empty name clears the default.
  void set_default(const std::string& group);

  /// Returns the group's peer, and joins the group with these options if that was not done. The
  /// peer leaves when the last reference goes. Throws Error, or Failure if that takes longer than
  /// admission_patience.
  std::shared_ptr<Peer> join(const PeerOptions& options);

  /// Holds a reference to the peer until `take_back`.
  void keep(const std::string& group, std::shared_ptr<Peer> peer);
  /// Releases one reference; returns nullptr if none was kept.
  std::shared_ptr<Peer> take_back(const std::string& group);

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  std::shared_ptr<Peer> joined_or_mine(const std::string& group, Deadline deadline);
  std::shared_ptr<Peer> enter(const PeerOptions& options);
  void forget(const std::string& group);
  void leave_all_at_exit();

  std::mutex mutex_;
  std::condition_variable changed_;
  /// An expired pointer means that a thread is joining or leaving that group; the others wait until
  /// it is done.
  std::map<std::string, std::weak_ptr<Peer>> peers_;
  std::map<std::string, std::vector<std::shared_ptr<Peer>>> kept_;
  std::string default_;
  bool leaves_at_exit_ = false;
};

}  // namespace conch::capi
