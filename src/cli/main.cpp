#include <fmt/core.h>

#include <array>
#include <conch/version.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

#include "catalog/catalog.hpp"
#include "cli/commands.hpp"
#include "sim/distribution.hpp"

namespace conch::cli {
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

/// The innermost subcommand that was reached: whose help would have helped.
const CLI::App& reached(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) return reached(*command);
  return app;
}

/// `conch lab run`: how one calls this subcommand.
std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? "conch" : path_of(*parent) + " " + command.get_name();
}

/// What stands where a subcommand should.
std::string wrong_command(const CLI::App& app, const Invocation& invocation) {
  std::size_t depth = 0;
  for (const CLI::App* at = &app; at->get_parent() != nullptr; at = at->get_parent()) ++depth;
  bool expects_command = !subcommands_of(app).empty();
  return expects_command && invocation.arguments.size() > depth ? invocation.arguments[depth] : "";
}

/// The first option that the command does not have. The parser may name a later word instead: the
/// option's value, or what stands after `--`.
std::string unknown_option(const CLI::App& command, const Invocation& invocation) {
  for (const std::string& argument : invocation.arguments) {
    if (argument == "--") break;
    std::string word = argument.substr(0, argument.find('='));
    bool is_option = word.starts_with("-") && word.size() > 1;
    if (is_option && command.get_option_no_throw(word) == nullptr) return word;
  }
  return "";
}

/// What users of flock(1) are used to.
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
  if (word.empty() && !(word = unknown_option(command, invocation)).empty())
    why = fmt::format("{} has no option {}", path_of(command), word);
  fmt::print(stderr, "conch: {}\n", why);
  std::string suggestion = suggestion_for(word, command);
  if (!suggestion.empty()) fmt::print(stderr, "did you mean {}?\n", suggestion);
  fmt::print(stderr, "{} --help shows what there is\n", path_of(command));
  return static_cast<int>(Exit::bad_usage);
}

const CLI::App& command_in(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : subcommands_of(app))
    if (command->get_name() == name) return *command;
  std::string suggestion = suggestion_for(name, app);
  throw sim::BadText(fmt::format("{} has no command \"{}\"{}", path_of(app), name,
                                 suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
}

/// `conch help lab run`.
void print_help(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* command = &app;
  for (const std::string& name : path) command = &command_in(*command, name);
  fmt::print("{}", command->get_formatter()->make_help(command, path_of(*command),
                                                       CLI::AppFormatMode::Normal));
}

void add_help_command(CLI::App& app) {
  auto path = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("help", "Say what a command does and takes");
  command->add_option("command", *path, "The command, as in lock or lab run");
  command->callback([&app, path] { print_help(app, *path); });
}

int run(int argc, char** argv) {
  CLI::App app{"Distributed mutual exclusion without a lock server."};
  app.name("conch");
  app.set_version_flag("--version", "conch " + std::string(version()));
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  Invocation invocation{{argv + 1, argv + argc}, Exit::held};
  add_lock_command(app, invocation);
  add_peer_command(app, invocation);
  add_doctor_command(app, invocation);
  add_status_command(app, invocation);
  add_evict_command(app, invocation);
  add_unlock_command(app, invocation);
  add_demo_command(app, invocation);
  add_bench_command(app, invocation);
  add_algorithms_command(app, invocation);
  add_sim_command(app, invocation);
  add_check_command(app, invocation);
  add_lab_command(app, invocation);
  add_playground_command(app, invocation);
  add_replay_command(app, invocation);
  add_view_command(app, invocation);
  add_trace_command(app, invocation);
  add_survive_command(app, invocation);
  add_handover_command(app, invocation);
  add_help_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error, invocation);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "conch: the system gives no more memory\n");
    return static_cast<int>(Exit::bad_usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "conch: {}\n", error.what());
    return static_cast<int>(Exit::bad_usage);
  }
  return static_cast<int>(invocation.exit);
}

}  // namespace
}  // namespace conch::cli

int main(int argc, char** argv) { return conch::cli::run(argc, argv); }
