// The options that say which group is meant and how to reach its peers. `conch peer` uses them, and
// `conch doctor` checks them.
#pragma once

#include <CLI/CLI.hpp>
#include <conch/peer.hpp>

namespace conch::cli {

void add_reach_options(CLI::App& command, PeerOptions& options);

}  // namespace conch::cli
