// `conch sim` of a protocol over an overlay: its options and its runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/sim_options.hpp"

namespace conch::cli {

void add_community_options(CLI::App& command, SimTexts& texts);

/// Throws BadText if an option of these protocols was given for another algorithm.
void refuse_community_options(const CLI::App& command, const std::string& algorithm);

void run_communities(const CLI::App& command, const SimTexts& texts, Invocation& invocation);

}  // namespace conch::cli
