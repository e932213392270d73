// The command line as a description: what man pages and completions are made from, so that they say
// what the parser takes.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace conch::program {

/// The words that a value may be, by the name of an option or an argument, as in `--algorithm`,
/// where the parser does not know them.
using KnownValues = std::map<std::string, std::vector<std::string>>;

struct OptionWords {
  /// `-h` and `--help`; of an argument that stands for itself, its name.
  std::vector<std::string> names;
  /// What kind of value it takes, as in `TEXT`; empty for a flag.
  std::string value;
  std::string usual;
  /// The variable that it is taken from if it is not given.
  std::string variable;
  std::string about;
  std::vector<std::string> choices;
  /// `0 - 255`, of a number that has bounds.
  std::string bounds;
  /// It names a file or a directory, as its name or its description says.
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
  /// The title under which the help lists a command of another program; empty for our own.
  std::string elsewhere;
  std::string footer;
  std::vector<OptionWords> arguments;
  /// In the order of their first options; hidden ones are left out.
  std::vector<OptionGroup> groups;
  std::vector<CommandWords> commands;

  std::string name() const { return path.back(); }
  /// `conch lab run`, or with another separator.
  std::string full_name(const std::string& separator = " ") const;
  std::vector<OptionWords> options() const;
  /// One of its arguments names a file.
  bool takes_path() const;
  /// `conch lock [OPTIONS] name -- command...`.
  std::string usage() const;
};

CommandWords words_of(const CLI::App& app, const KnownValues& values = {});

/// That of `lab run` below the program. Throws Error if there is none.
CommandWords command_at(const CommandWords& program, const std::vector<std::string>& path);

}  // namespace conch::program
