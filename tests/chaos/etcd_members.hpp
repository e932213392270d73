// An etcd cluster that is the register of a chaos run: one member in each site, which outlives the
// peers there.
#pragma once

#include <string>
#include <vector>

#include "rig/rig.hpp"

namespace conch::chaos {

class EtcdMembers {
 public:
  /// What they log is in this folder; what they store is in their sites'.
  EtcdMembers(rig::Rig& rig, std::string folder);

  void start_all();
  /// By SIGKILL or SIGSTOP; it is so when this returns.
  void hit(std::size_t site, int signal);
  /// One that was killed has what it had stored.
  void bring_back(std::size_t site);
  void kill_all();
  /// A sentence for each that has ended, and nobody has killed it.
  std::vector<std::string> unasked_ends();

  /// Where clients ask.
  std::string url_of(std::size_t site) const;
  std::string log_of(std::size_t site) const;

 private:
  void start(std::size_t site);
  std::string peer_url_of(std::size_t site) const;
  std::string everybody() const;

  rig::Rig& rig_;
  std::string folder_;
  std::vector<Process*> members_;
};

}  // namespace conch::chaos
