// Detects the death of peers on this machine for a register that is elsewhere (etcd).
//
// Each life has a mark (process.hpp) in a folder that all peers of the machine read. A life without
// a mark is on another machine, or uses another state directory, or somebody has removed the folder
// since: its lease ends by time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "recovery/view.hpp"
#include "register/directory.hpp"

namespace conch::file {

class Neighbours {
 public:
  /// Creates the folder if it does not exist.
  explicit Neighbours(const std::string& folder);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// Becomes readable when a life that `has_died` was asked about dies, or when it is time to check
  /// whether a dead one has lost its last keeper.
  int descriptor() const { return epoll_.number(); }

  /// Makes this process that life, until `attach` names another or this object is destroyed.
  void attach(const PeerInstance& life);
  /// Returns a descriptor for a keeper of the life that is this process; see Register::proof. Empty
  /// for any other life.
  Descriptor proof(const PeerInstance& life) const;
  /// Whether the life is known to have died. If not, the descriptor wakes the caller when it dies.
  bool has_died(const PeerInstance& life);
  /// Stops watching all lives that the view does not mention, and removes the marks of those that
  /// are dead.
  void keep(const recovery::View& mentioned);

 private:
  const Directory& root();
  void look_again_for(const PeerInstance& life, bool is_kept);

  std::string folder_;
  Directory root_;
  Descriptor epoll_;
  /// No event tells when a keeper has gone, so this timer polls.
  Descriptor timer_;
  std::set<PeerInstance> kept_;
  std::optional<PeerInstance> mine_;
  Descriptor mark_;
  /// The descriptor is empty for a life that has died.
  std::map<PeerInstance, Descriptor> processes_;
};

}  // namespace conch::file
