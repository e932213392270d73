#include "program/completion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <conch/error.hpp>

namespace conch::program {

namespace {

using Words = std::vector<std::string>;

std::string joined_words(const Words& words) { return CLI::detail::join(words, " "); }

/// Single quotes, for bash and zsh.
std::string quoted(const std::string& text) {
  return "'" + CLI::detail::find_and_replace(text, "'", "'\\''") + "'";
}

/// fish has escapes inside single quotes.
std::string fish_quoted(const std::string& text) {
  std::string escaped = CLI::detail::find_and_replace(text, "\\", "\\\\");
  return "'" + CLI::detail::find_and_replace(escaped, "'", "\\'") + "'";
}

/// The command and all commands below it.
std::vector<const CommandWords*> all_of(const CommandWords& command) {
  std::vector<const CommandWords*> found{&command};
  for (const CommandWords& below : command.commands)
    for (const CommandWords* each : all_of(below)) found.push_back(each);
  return found;
}

Words commands_below(const CommandWords& command) {
  Words names;
  for (const CommandWords& below : command.commands) names.push_back(below.name());
  return names;
}

Words option_names(const CommandWords& command) {
  Words names;
  for (const OptionWords& option : command.options())
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

/// The choices of its first argument that has any.
Words argument_choices(const CommandWords& command) {
  for (const OptionWords& argument : command.arguments)
    if (!argument.choices.empty()) return argument.choices;
  return {};
}

/// The name of the shell function, without hyphens, which do not fit in a bash name.
std::string function_of(const CommandWords& program) {
  return "_" + CLI::detail::find_and_replace(program.name(), "-", "_");
}

/// `"conch lab" | "conch lab run"`: the paths of all subcommands, as a shell pattern.
std::string deeper_paths(const CommandWords& program) {
  Words paths;
  for (const CommandWords* command : all_of(program))
    if (command->path.size() > 1) paths.push_back("\"" + command->full_name() + "\"");
  return CLI::detail::join(paths, " | ");
}

/// One branch for each option with a value, chosen by the word before the cursor.
template <class Complete>
std::string value_cases(const CommandWords& program, Complete&& complete) {
  std::string text;
  for (const CommandWords* command : all_of(program))
    for (const OptionWords& option : command->options()) {
      if (option.value.empty()) continue;
      Words patterns;
      for (const std::string& name : option.names)
        patterns.push_back("\"" + command->full_name() + " " + name + "\"");
      text +=
          "    " + CLI::detail::join(patterns, " | ") + ") " + complete(option) + "; return ;;\n";
    }
  return text;
}

std::string described(const CommandWords& command) {
  std::string text = " commands=(";
  for (const CommandWords& below : command.commands)
    text += " " + quoted(below.name() + ":" + below.about);
  text += " ) options=(";
  for (const OptionWords& option : command.options())
    for (const std::string& name : option.names) text += " " + quoted(name + ":" + option.about);
  Words choices = argument_choices(command);
  return text + " ) arguments=( " + joined_words(choices) +
         " ) files=" + (command.takes_path() ? "yes" : "");
}

/// A fish condition that holds if the words before the cursor lead to this command.
std::string fish_condition(const CommandWords& command) {
  std::string condition;
  for (std::size_t depth = 1; depth < command.path.size(); ++depth)
    condition += (depth > 1 ? "; and " : "") + std::string("__fish_seen_subcommand_from ") +
                 command.path[depth];
  if (command.commands.empty()) return condition;
  std::string names = joined_words(commands_below(command));
  return condition + (condition.empty() ? "" : "; and ") + "not __fish_seen_subcommand_from " +
         names;
}

std::string fish_option(const std::string& beginning, const OptionWords& option) {
  std::string text = beginning;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty()) {
    text += " -x -a " + fish_quoted(joined_words(option.choices));
  } else if (!option.value.empty()) {
    text += option.is_path ? " -r -F" : " -x";
  }
  return text + " -d " + fish_quoted(option.about) + "\n";
}

std::string fish_lines(const CommandWords& command) {
  std::string beginning =
      "complete -c " + command.path.front() + " -n " + fish_quoted(fish_condition(command));
  std::string text;
  for (const CommandWords& below : command.commands)
    text += beginning + " -a " + below.name() + " -d " + fish_quoted(below.about) + "\n";
  for (const OptionWords& option : command.options()) text += fish_option(beginning, option);
  Words choices = argument_choices(command);
  if (!choices.empty()) {
    text += beginning + " -a " + fish_quoted(joined_words(choices)) + "\n";
  } else if (command.takes_path()) {
    text += beginning + " -F\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandWords& program) {
  std::string words;
  for (const CommandWords* command : all_of(program)) {
    Words others = commands_below(*command);
    if (others.empty()) others = argument_choices(*command);
    words += fmt::format("    \"{}\") options=\"{}\" others=\"{}\" files={} ;;\n",
                         command->full_name(), joined_words(option_names(*command)),
                         joined_words(others), command->takes_path() ? "yes" : "");
  }
  std::string values = value_cases(program, [](const OptionWords& option) {
    if (option.is_path) return std::string(":");
    if (option.choices.empty()) return std::string("compopt +o default 2>/dev/null");
    return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\"))",
                       joined_words(option.choices));
  });
  return fmt::format(
      R"(# bash completion for {0}, as `{0} completion bash` prints it
{1}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local path={0} options others files i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    # After -- comes another program's command.
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      ((i + 1 == COMP_CWORD)) && COMPREPLY=($(compgen -c -- "$current"))
      return
    fi
    case "$path ${{COMP_WORDS[i]}}" in
      {2}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  # --option=value is three words here.
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  case "$path $before" in
{3}  esac
  case "$path" in
{4}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$others" -- "$current"))
    [[ -n $files ]] || compopt +o default 2>/dev/null || :
  fi
}}
# Names of files, unless it was said above that there are none.
complete -o default -F {1} {0}
)",
      program.name(), function_of(program), deeper_paths(program), values, words);
}

std::string zsh_completion(const CommandWords& program) {
  std::string values = value_cases(program, [](const OptionWords& option) {
    if (option.is_path) return std::string("_files");
    if (option.choices.empty()) return "_message " + quoted(option.about);
    return "compadd -- " + joined_words(option.choices);
  });
  std::string words;
  for (const CommandWords* command : all_of(program))
    words += "    \"" + command->full_name() + "\")" + described(*command) + " ;;\n";
  return fmt::format(
      R"(#compdef {0}
# zsh completion for {0}, as `{0} completion zsh` prints it
{1}() {{
  local place={0} files i
  local -a commands options arguments
  for ((i = 2; i < CURRENT; i++)); do
    # After -- comes another program's command.
    if [[ $words[i] == -- ]]; then
      shift $i words
      ((CURRENT -= i))
      _normal
      return
    fi
    case "$place $words[i]" in
      {2}) place="$place $words[i]" ;;
    esac
  done
  case "$place $words[CURRENT-1]" in
{3}  esac
  case "$place" in
{4}  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
  elif (($#commands)); then
    _describe command commands
  elif (($#arguments)); then
    compadd -- $arguments
  elif [[ -n $files ]]; then
    _files
  fi
}}
{1} "$@"
)",
      program.name(), function_of(program), deeper_paths(program), values, words);
}

std::string fish_completion(const CommandWords& program) {
  std::string text = fmt::format("# fish completion for {0}, as `{0} completion fish` prints it\n",
                                 program.name());
  text += "complete -c " + program.name() + " -f\n";
  for (const CommandWords* command : all_of(program)) text += fish_lines(*command);
  return text;
}

std::string completion_for(const std::string& shell, const CommandWords& program) {
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  if (shell == "fish") return fish_completion(program);
  throw Error("\"" + shell + "\" is not a supported shell; use bash, zsh or fish");
}

}  // namespace conch::program
