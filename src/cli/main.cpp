#include <fmt/core.h>

#include <cstdio>
#include <exception>

#include "catalog/catalog.hpp"
#include "cli/commands.hpp"
#if __has_include("cli/replay_command.hpp")
#include "cli/replay_command.hpp"
#endif

namespace conch::cli {
namespace {

void collect_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
    collect_names(*command, names);
  }
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
}

/// The innermost subcommand that was reached: whose help would have helped.
const CLI::App& reached(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) return reached(*command);
  return app;
}

int explain(const CLI::App& app, const CLI::ParseError& error, const Invocation& invocation) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  fmt::print(stderr, "conch: {}\n", error.what());
  const CLI::App& command = reached(app);
  std::vector<std::string> names;
  collect_names(command, names);
  std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string message = error.what();
  for (const std::string& argument : invocation.arguments) {
    std::string word = argument.substr(0, argument.find('='));
    if (message.find(word) == std::string::npos) continue;
    std::string_view suggestion = nearest(word, candidates);
    if (!suggestion.empty() && suggestion != word)
      fmt::print(stderr, "did you mean {}?\n", suggestion);
    break;
  }
  std::string name = command.get_parent() == nullptr ? "" : " " + command.get_name();
  for (const CLI::App* parent = command.get_parent();
       parent != nullptr && parent->get_parent() != nullptr; parent = parent->get_parent())
    name = " " + parent->get_name() + name;
  fmt::print(stderr, "conch{} --help shows what there is\n", name);
  return static_cast<int>(Exit::bad_usage);
}

int run(int argc, char** argv) {
  CLI::App app{"Distributed mutual exclusion without a lock server."};
  app.name("conch");
  app.set_version_flag("--version", "conch " CONCH_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  Invocation invocation{{argv + 1, argv + argc}, Exit::held};
  int replay_status = 0;
  add_algorithms_command(app, invocation);
  add_sim_command(app, invocation);
  add_lab_command(app, invocation);
#if __has_include("cli/replay_command.hpp")
  add_replay_command(app, replay_status);
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error, invocation);
  } catch (const std::exception& error) {
    fmt::print(stderr, "conch: {}\n", error.what());
    return static_cast<int>(Exit::bad_usage);
  }
  return replay_status != 0 ? replay_status : static_cast<int>(invocation.exit);
}

}  // namespace
}  // namespace conch::cli

int main(int argc, char** argv) { return conch::cli::run(argc, argv); }
