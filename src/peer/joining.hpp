// How a peer finds its group: what it runs, and where; or that there is none yet.
//
// A group has a register, on this machine, on etcd, or behind those at the addresses of `join`; or
// it has none, and the peers of it find one another. Of the latter, with `join` anybody of the
// group will do. Without it, the sockets beside the group's state are those of its peers on this
// machine: whoever answers is joined, and if nobody is there the peer founds the group. A file
// `ring` beside them has what the group agreed on last, so that one who does not say which
// algorithm it wants looks there first, and founds the group anew with it.
#pragma once

#include <conch/peer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/conversations.hpp"
#include "node/node.hpp"
#include "peer/directories.hpp"
#include "register/register.hpp"

namespace conch::peer {

net::Tls tls_of(const TlsOptions& options);

/// How a peer comes into its group.
struct WayIn {
  const CatalogEntry* algorithm = nullptr;
  /// Without a register.
  std::optional<node::Agreement> ring = {};
  std::vector<node::Introduction> ring_contacts = {};
  /// If this peer asks it itself.
  std::unique_ptr<Register> reg = {};
  recovery::LeaseTerms terms = {};
  std::optional<unsigned> eps = {};
  /// Of those who start on this machine at once, one founds: it does while it has this.
  file::Descriptor founding = {};
};

class Joining {
 public:
  using Log = std::function<void(const std::string& line, LogLevel level)>;

  Joining(const PeerOptions& options, std::string group, Directories directories, Log log);

  /// Throws Error: what is wanted does not go together, or not with the group that is there.
  WayIn find();

  /// For those on this machine who come later.
  static void note_ring(const Directories& directories, const node::Agreement& ring);
  static void note_whereabouts(const PeerOptions& options, const Directories& directories);

 private:
  net::Acquaintance who_is_there() const;
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
  bool is_register_group(const net::Acquaintance& there) const;
  void meet_ring(const net::Acquaintance& there, const std::string& place);

  const PeerOptions& options_;
  std::string group_;
  Directories directories_;
  Log log_;
  WayIn way_;
};

}  // namespace conch::peer
