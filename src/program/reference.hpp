// What a program says about itself for others to install: man pages and completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "program/command_words.hpp"

namespace conch::program {

/// The commands, with the algorithms where one is asked for: those that can run for real after
/// `--algorithm`, all of the catalogue for an argument.
CommandWords reference_of(const CLI::App& app);

/// The man page of the program, or of the command whose description this is.
std::string reference_page(const CommandWords& command);

/// Writes man/man1/..., bash-completion/completions/..., zsh/site-functions/... and
/// fish/vendor_completions.d/..., as they stand in a `share` folder. Throws Error if it cannot.
void write_reference(const CommandWords& program, const std::string& folder);

/// `conch completion bash`.
void add_completion_command(CLI::App& app);

}  // namespace conch::program
