// What a shell completes on a command line, as a script of that shell, from the description of the
// commands. A script runs no program: names of locks would take a question to every member.
#pragma once

#include <string>
#include <vector>

#include "program/command_words.hpp"

namespace conch::program {

std::string bash_completion(const CommandWords& program);
std::string zsh_completion(const CommandWords& program);
std::string fish_completion(const CommandWords& program);

/// The completion script for `bash`, `zsh` or `fish`. Throws Error if it is none of them.
std::string completion_for(const std::string& shell, const CommandWords& program);

}  // namespace conch::program
