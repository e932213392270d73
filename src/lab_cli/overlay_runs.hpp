// `conch sim` for protocols over an overlay: the options and the runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lab_cli/commands.hpp"
#include "lab_cli/sim_options.hpp"

namespace conch::lab_cli {

void add_overlay_options(CLI::App& command, SimTexts& texts);

void run_communities(const SimTexts& texts, Invocation& invocation);

}  // namespace conch::lab_cli
