// A description of the command line. Man pages and completions are generated from it, so they agree
// with the parser.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace conch::program {

/// Possible values by option or argument name, such as `--algorithm`, where the parser does not
/// know them.
using KnownValues = std::map<std::string, std::vector<std::string>>;

struct OptionWords {
  /// `-h` and `--help`; for a positional argument, its name.
  std::vector<std::string> names;
  /// The kind of value, such as `TEXT`; empty for a flag.
  std::string value;
  std::string usual;
  /// The environment variable that provides the default.
  std::string variable;
  std::string about;
  std::vector<std::string> choices;
  /// Such as `0 - 255`, for a bounded number.
  std::string bounds;
  /// Its name or description says that it is a file or a directory.
  bool is_path = false;
  bool required = false;
  bool repeatable = false;
};

struct OptionGroup {
  std::string title;
  std::vector<OptionWords> options;
};

struct CommandWords {
  /// `conch`, then `lab`, then `run`.
  std::vector<std::string> path;
  std::string about;
  /// The help's title for commands of another program; empty for our own.
  std::string elsewhere;
  std::string footer;
  std::vector<OptionWords> arguments;
  /// In the order of their first options, without hidden ones.
  std::vector<OptionGroup> groups;
  std::vector<CommandWords> commands;

  std::string name() const { return path.back(); }
  /// `conch lab run`, or with another separator.
  std::string full_name(const std::string& separator = " ") const;
  std::vector<OptionWords> options() const;
  /// Whether one of its arguments is a file or directory.
  bool takes_path() const;
  /// `conch lock [OPTIONS] name -- command...`.
  std::string usage() const;
};

CommandWords words_of(const CLI::App& app, const KnownValues& values = {});

/// The command at a path such as `lab run`. Throws Error if there is none.
CommandWords command_at(const CommandWords& program, const std::vector<std::string>& path);

}  // namespace conch::program
