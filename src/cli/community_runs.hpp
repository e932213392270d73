// `conch sim` of a protocol over an overlay: its options and its runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/sim_options.hpp"

namespace conch::cli {

void add_community_options(CLI::App& command, SimTexts& texts);

void run_communities(const SimTexts& texts, Invocation& invocation);

}  // namespace conch::cli
