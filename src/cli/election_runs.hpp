// `conch sim` of an election: its options and its runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/sim_options.hpp"

namespace conch::cli {

void add_election_options(CLI::App& command, SimTexts& texts);

void run_elections(const SimTexts& texts, Invocation& invocation);

}  // namespace conch::cli
