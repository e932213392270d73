// Generates the man pages and completions of a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "program/command_words.hpp"

namespace conch::program {

/// The description of the commands, with names of algorithms as choices: `--algorithm` takes those
/// that can run for real, an argument any of the catalogue.
CommandWords reference_of(const CLI::App& app);

/// The man page of a program or a command.
std::string reference_page(const CommandWords& command);

/// Writes man/man1/..., bash-completion/completions/..., zsh/site-functions/... and
/// fish/vendor_completions.d/... below a `share` folder. Throws Error if it cannot.
void write_reference(const CommandWords& program, const std::string& folder);

/// `conch completion bash`.
void add_completion_command(CLI::App& app);

}  // namespace conch::program
