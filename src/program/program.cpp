#include "program/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <conch/version.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>

#include "catalog/catalog.hpp"
#include "core/text.hpp"
#include "program/reference.hpp"

namespace conch::program {
namespace {

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : subcommands_of(app)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The innermost subcommand that was parsed; its help is the one to suggest.
const CLI::App& reached(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) return reached(*command);
  return app;
}

/// The full name of a subcommand, such as `conch lab run`.
std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  std::string name = command.get_name();
  return parent == nullptr ? name : path_of(*parent) + " " + name;
}

/// The word in the place of a subcommand; empty if none was expected or given.
std::string wrong_command(const CLI::App& app, const Invocation& invocation) {
  std::size_t depth = 0;
  for (const CLI::App* at = &app; at->get_parent() != nullptr; at = at->get_parent()) ++depth;
  bool expects_command = !subcommands_of(app).empty();
  return expects_command && invocation.arguments.size() > depth ? invocation.arguments[depth] : "";
}

/// The first option that the command does not have. The parser may report a later word instead: the
/// option's value, or a word after `--`.
std::string unknown_option(const CLI::App& command, const Invocation& invocation) {
  for (const std::string& argument : invocation.arguments) {
    if (argument == "--") break;
    std::string word = argument.substr(0, argument.find('='));
    bool is_option = word.starts_with("-") && word.size() > 1;
    if (is_option && command.get_option_no_throw(word) == nullptr) return word;
  }
  return "";
}

/// Options of flock(1) and ours.
constexpr auto flock_options = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"-w", "--timeout"},
    {"--wait", "--timeout"},
    {"-n", "--try"},
    {"--nb", "--try"},
    {"--nonblock", "--try"},
    {"-s", "--shared"},
    {"-E", "--not-obtained-status"},
    {"--conflict-exit-code", "--not-obtained-status"},
    {"-c", "-- sh -c"},
    {"--command", "-- sh -c"},
    {"-v", "--verbose"},
});

std::string suggestion_for(const std::string& word, const CLI::App& command) {
  std::string option = word.starts_with("--") ? word : word.substr(0, 2);  // -w3
  for (const auto& [theirs, ours] : flock_options)
    if (command.get_name() == "lock" && option == theirs) return std::string(ours);
  std::vector<std::string> names =
      word.starts_with("-") ? options_of(command) : commands_of(command);
  std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string suggestion(nearest(word, candidates));
  return word.empty() || suggestion == word ? "" : suggestion;
}

int explain(const CLI::App& app, const CLI::ParseError& error, const Invocation& invocation) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const CLI::App& command = reached(app);
  std::string word = wrong_command(command, invocation);
  std::string why = error.what();
  bool is_command = !word.empty() && !word.starts_with("-");
  if (is_command) why = fmt::format("{} has no command \"{}\"", path_of(command), word);
  if (word.empty() && !(word = unknown_option(command, invocation)).empty())
    why = fmt::format("{} has no option {}", path_of(command), word);
  fmt::print(stderr, "{}: {}\n", app.get_name(), why);
  std::string suggestion = suggestion_for(word, command);
  if (!suggestion.empty()) fmt::print(stderr, "did you mean {}?\n", suggestion);
  fmt::print(stderr, "see {} --help\n", path_of(command));
  return static_cast<int>(Exit::bad_usage);
}

const CLI::App& command_in(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : subcommands_of(app))
    if (command->get_name() == name) return *command;
  std::string suggestion = suggestion_for(name, app);
  throw BadText(fmt::format("{} has no command \"{}\"{}", path_of(app), name,
                            suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
}

/// `conch help lab run`.
void print_help(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* command = &app;
  for (const std::string& name : path) command = &command_in(*command, name);
  fmt::print("{}", command->get_formatter()->make_help(command, path_of(*command),
                                                       CLI::AppFormatMode::Normal));
}

struct HelpTexts {
  std::vector<std::string> path;
  bool man = false;
  std::string share;
};

void help(const CLI::App& app, const HelpTexts& texts) {
  if (!texts.share.empty()) return write_reference(reference_of(app), texts.share);
  if (!texts.man) return print_help(app, texts.path);
  fmt::print("{}", reference_page(command_at(reference_of(app), texts.path)));
}

void add_help_command(CLI::App& app) {
  auto texts = std::make_shared<HelpTexts>();
  CLI::App* command =
      app.add_subcommand("help", "Show what a command does and which options it takes");
  command->add_option("command", texts->path, "The command, as in lock or lab run");
  command->add_flag("--man", texts->man, "Print a man page, for man -l");
  // Used by the build, which installs the files.
  command->add_option("--write", texts->share, "Write man pages and completions")->group("");
  command->callback([&app, texts] { help(app, *texts); });
}

/// Adds only the subcommand that is named, if any: adding all takes longer than some locks.
void add_commands(const Program& program, CLI::App& app, Invocation& invocation) {
  const std::string first = invocation.arguments.empty() ? "" : invocation.arguments.front();
  const auto named = std::ranges::find(program.commands, first, &Subcommand::name);
  if (named != program.commands.end()) return named->add(app, invocation);
  for (const Subcommand& command : program.commands) command.add(app, invocation);
  if (program.add_elsewhere != nullptr) program.add_elsewhere(app);
  add_help_command(app);
  add_completion_command(app);
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
  const std::string name = std::filesystem::path(argv[0]).filename();
  CLI::App app{std::string(program.about)};
  app.name(name);
  app.set_version_flag("--version", name + " " + std::string(version()));
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  Invocation invocation{{argv + 1, argv + argc}, Exit::held};
  add_commands(program, app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error, invocation);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: out of memory\n", name);
    return static_cast<int>(Exit::bad_usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return static_cast<int>(Exit::bad_usage);
  }
  return static_cast<int>(invocation.exit);
}

}  // namespace conch::program
