// The groups this process is in. Each is joined once, however many handles use it, and left when
// the last of them lets go. Safe for any number of threads; joining and leaving hold up nobody who
// wants another group.
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
  /// Of this process. It is never destroyed: threads may be in it when the process ends.
  static Groups& of_process();

  /// The group that is meant: what was given, the default that was set, $CONCH_GROUP, "default".
  std::string meant(const char* given);
  /// Empty: as if none had been set.
  void set_default(const std::string& group);

  /// The group's peer, which leaves when nobody has it any more. If the group is not joined it is,
  /// by these options. Throws Error, or Failure if it takes longer than admission_patience.
  std::shared_ptr<Peer> join(const PeerOptions& options);

  /// Keeps a peer until it is taken back.
  void keep(const std::string& group, std::shared_ptr<Peer> peer);
  /// Nothing if none was kept.
  std::shared_ptr<Peer> take_back(const std::string& group);

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  std::shared_ptr<Peer> joined_or_mine(const std::string& group, Deadline deadline);
  std::shared_ptr<Peer> enter(const PeerOptions& options);
  void forget(const std::string& group);
  void leave_all_at_exit();

  std::mutex mutex_;
  std::condition_variable changed_;
  /// What is empty is being joined or left by a thread; the others wait until it has done so.
  std::map<std::string, std::weak_ptr<Peer>> peers_;
  std::map<std::string, std::vector<std::shared_ptr<Peer>>> kept_;
  std::string default_;
  bool leaves_at_exit_ = false;
};

}  // namespace conch::capi
