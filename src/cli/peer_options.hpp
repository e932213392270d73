// The options that say which group is meant and how its peers are reached: of `conch peer`, and of
// `conch doctor`, which looks whether they will do.
#pragma once

#include <CLI/CLI.hpp>
#include <conch/peer.hpp>

namespace conch::cli {

void add_reach_options(CLI::App& command, PeerOptions& options);

}  // namespace conch::cli
