// Generates shell completions from the description of the commands. The scripts run no program:
// completing names of locks would ask every member.
#pragma once

#include <string>
#include <vector>

#include "program/command_words.hpp"

namespace conch::program {

std::string bash_completion(const CommandWords& program);
std::string zsh_completion(const CommandWords& program);
std::string fish_completion(const CommandWords& program);

/// The completion script for `bash`, `zsh` or `fish`. Throws Error for any other shell.
std::string completion_for(const std::string& shell, const CommandWords& program);

}  // namespace conch::program
