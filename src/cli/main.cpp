#include <fmt/core.h>

#include <conch/version.hpp>
#include <cstdio>
#include <exception>

#include "catalog/catalog.hpp"
#include "cli/commands.hpp"

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

/// `conch lab run`: how one calls this subcommand.
std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? "conch" : path_of(*parent) + " " + command.get_name();
}

/// The argument that the parser stumbled over: one that it named, or one in a subcommand's place.
std::string culprit(const CLI::App& command, const CLI::ParseError& error,
                    const Invocation& invocation) {
  std::string message = error.what();
  std::size_t depth = 0;
  for (const CLI::App* app = &command; app->get_parent() != nullptr; app = app->get_parent())
    ++depth;
  bool expects_command = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (expects_command && invocation.arguments.size() > depth) return invocation.arguments[depth];
  for (const std::string& argument : invocation.arguments) {
    std::string word = argument.substr(0, argument.find('='));
    if (word.starts_with("-") && message.find(word) != std::string::npos) return word;
  }
  return "";
}

int explain(const CLI::App& app, const CLI::ParseError& error, const Invocation& invocation) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  fmt::print(stderr, "conch: {}\n", error.what());
  const CLI::App& command = reached(app);
  std::vector<std::string> names;
  collect_names(command, names);
  std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string word = culprit(command, error, invocation);
  std::string_view suggestion = nearest(word, candidates);
  if (!word.empty() && !suggestion.empty() && suggestion != word)
    fmt::print(stderr, "did you mean {}?\n", suggestion);
  fmt::print(stderr, "{} --help shows what there is\n", path_of(command));
  return static_cast<int>(Exit::bad_usage);
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
