// The commands of the laboratory, which is a program of its own: `conch sim` runs `conch-lab sim`.
// So a lock neither loads nor contains the simulators.
#pragma once

#include <CLI/CLI.hpp>

namespace conch::cli {

/// `conch sim ...`, `conch help sim`.
bool is_for_laboratory(char** argv);

/// Replaces this process by conch-lab, from the folder of this program or from the PATH. Returns
/// the exit status, having said what to install, if there is none.
int run_laboratory(char** argv);

/// Lists them, for the help and for suggestions.
void add_laboratory_commands(CLI::App& app);

}  // namespace conch::cli
