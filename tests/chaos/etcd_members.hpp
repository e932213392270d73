// An etcd cluster that is the register of a chaos run, with one member at each site, which outlives
// the peers there.
#pragma once

#include <string>
#include <vector>

#include "rig/rig.hpp"

namespace conch::chaos {

class EtcdMembers {
 public:
  /// The logs are in this folder; each member's data are in the folder of its site.
  EtcdMembers(rig::Rig& rig, std::string folder);

  void start_all();
  /// Kills or stops a member, and returns when that has happened.
  void hit(std::size_t site, int signal);
  /// A member that was killed comes back with the data that it has stored.
  void bring_back(std::size_t site);
  void kill_all();
  /// A sentence for each member that has ended by itself.
  std::vector<std::string> unasked_ends();

  /// The URL at which clients reach a member.
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
