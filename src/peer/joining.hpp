// How a peer finds its group: which algorithm it runs and where its register or its members are, or
// that the group does not exist yet.
//
// A group either has a register (on this machine, on etcd, or reachable through the addresses of
// `join`), or it has none and its peers find one another. Without a register, any peer of the group
// will do as a `join` address. Without `join`, the sockets beside the group's state belong to its
// peers on this machine: if one of them answers, the peer joins it, else it founds the group. The
// file `ring` beside the sockets records the group's last settings. A peer that names no algorithm
// looks there first, and founds the group again with those.
#pragma once

#include <conch/peer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/client_link.hpp"
#include "node/node.hpp"
#include "peer/directories.hpp"
#include "register/register.hpp"

namespace conch::peer {

net::Tls tls_of(const TlsOptions& options);

/// What a peer needs to enter its group.
struct WayIn {
  const CatalogEntry* algorithm = nullptr;
  /// Set in a group without a register.
  std::optional<node::OverlayGroupSettings> ring = {};
  std::vector<node::Introduction> ring_contacts = {};
  /// Set if this peer talks to the register itself.
  std::unique_ptr<Register> reg = {};
  recovery::LeaseTerms terms = {};
  std::optional<unsigned> eps = {};
  /// A file lock: of several peers that start at once on this machine, only the one that holds it
  /// may found the group.
  net::Descriptor founding = {};
};

class Joining {
 public:
  using Log = std::function<void(const std::string& line, LogLevel level)>;

  Joining(const PeerOptions& options, std::string group, Directories directories, Log log);

  /// Throws Error if the options contradict each other or the group that is there.
  WayIn find();

  /// These tell peers that start later on this machine how to find the group.
  static void note_ring(const Directories& directories, const node::OverlayGroupSettings& ring);
  static void note_ring_index(const PeerOptions& options, const Directories& directories);

 private:
  net::PeerInfo who_is_there() const;
  node::Insistence insistence() const {
    return {options_.algorithm, options_.dht, options_.replicas};
  }
  void check_register_options() const;
  void expect_own_register() const;
  void found_again(const recovery::View& last);
  void check_ring_options() const;
  void check_algorithm_options() const;
  bool find_ring();
  bool seek_ring();
  bool find_ring_there();
  bool find_ring_here();
  bool is_register_group(const net::PeerInfo& there) const;
  void meet_ring(const net::PeerInfo& there, const std::string& place);

  const PeerOptions& options_;
  std::string group_;
  Directories directories_;
  Log log_;
  WayIn way_;
};

}  // namespace conch::peer
