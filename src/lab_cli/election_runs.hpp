// `conch sim` for elections: the options and the runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lab_cli/commands.hpp"
#include "lab_cli/sim_options.hpp"

namespace conch::lab_cli {

void add_election_options(CLI::App& command, SimTexts& texts);

void run_elections(const SimTexts& texts, Invocation& invocation);

}  // namespace conch::lab_cli
