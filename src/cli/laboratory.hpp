// The commands of the laboratory, which is a separate program: `conch sim` runs `conch-lab sim`. So
// the `conch` that runs a lock neither loads nor contains the simulators.
#pragma once

#include <CLI/CLI.hpp>

namespace conch::cli {

/// True for `conch sim ...` and `conch help sim`.
bool is_for_laboratory(char** argv);

/// Replaces this process by conch-lab, from the folder of this program or from $PATH. If there is
/// none, says what to install and returns the exit status.
int run_laboratory(char** argv);

/// Adds these commands to the help and to suggestions.
void add_laboratory_commands(CLI::App& app);

}  // namespace conch::cli
