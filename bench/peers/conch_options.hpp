// The options of the peers of all benchmarks.
#pragma once

#include <conch/peer.hpp>
#include <filesystem>
#include <string>

#include "contender.hpp"

namespace conch::bench {

/// Peers with the same folder form a group.
inline PeerOptions peer_options(const std::filesystem::path& folder, const std::string& algorithm,
                                Transport transport) {
  PeerOptions options;
  options.group = "bench";
  options.algorithm = algorithm;
  options.state_directory = folder / "state";
  if (transport == Transport::tcp) {
    options.listen = {"127.0.0.1:0"};
    options.tcp_only = true;
  }
  return options;
}

}  // namespace conch::bench
