// What the programs `conch` and `conch-lab` have in common: subcommands, exit statuses, help, and
// what is said about a command line that makes no sense.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conch::program {

/// What a command ends with.
enum class Exit : int {
  held = 0,
  bad_usage = 1,
  /// As diff says it.
  differs = 1,
  safety_broken = 2,
  liveness_broken = 3
};

/// The command line as it was given, for printing the command that repeats a run.
struct Invocation {
  std::vector<std::string> arguments;
  Exit exit = Exit::held;
};

/// A subcommand: `add` adds it to the application, and its callback leaves the exit status.
struct Command {
  std::string_view name;
  void (*add)(CLI::App& app, Invocation& invocation);
};

struct Program {
  std::string_view about;
  std::span<const Command> commands;
  /// Lists in the help what another program does; may be null.
  void (*add_elsewhere)(CLI::App& app) = nullptr;
};

/// Runs the subcommand that the arguments name, and returns the exit status. The program's name is
/// the last part of argv[0].
int run(const Program& program, int argc, char** argv);

}  // namespace conch::program
