// The frame that `conch` and `conch-lab` share: subcommands, exit statuses, help, and errors about
// the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conch::program {

/// The exit status of a command.
enum class Exit : int {
  held = 0,
  bad_usage = 1,
  /// The same status as diff's.
  differs = 1,
  safety_broken = 2,
  liveness_broken = 3
};

/// The command line as given, from which a command prints how to repeat a run.
struct Invocation {
  std::vector<std::string> arguments;
  Exit exit = Exit::held;
};

/// A subcommand: `add` adds it to the application, and its callback sets the exit status.
struct Subcommand {
  std::string_view name;
  void (*add)(CLI::App& app, Invocation& invocation);
};

struct Program {
  std::string_view about;
  std::span<const Subcommand> commands;
  /// Adds another program's commands to the help; may be null.
  void (*add_elsewhere)(CLI::App& app) = nullptr;
};

/// Runs the subcommand that the arguments name, and returns the exit status. The program's name is
/// the last part of argv[0].
int run(const Program& program, int argc, char** argv);

}  // namespace conch::program
