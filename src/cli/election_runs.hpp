// `conch sim` of an election: its options and its runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/sim_options.hpp"

namespace conch::cli {

void add_election_options(CLI::App& command, SimTexts& texts);

/// Throws BadText if an option of elections was given for an algorithm that is none.
void refuse_election_options(const CLI::App& command, const std::string& algorithm);

void run_elections(const CLI::App& command, const SimTexts& texts, Invocation& invocation);

}  // namespace conch::cli
