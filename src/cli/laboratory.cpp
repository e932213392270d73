#include "cli/laboratory.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace conch::cli {
namespace {

constexpr const char* program = "conch-lab";

/// The descriptions are those of conch-lab; a test compares them.
constexpr auto laboratory_commands = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"sim", "Simulate an algorithm and check its properties"},
    {"check", "Explore every interleaving of a small system"},
    {"lab", "Regenerate published tables and figures"},
    {"playground", "Step through an algorithm in the browser, until Ctrl-C"},
    {"replay", "Run scenario files and compare what happens with what they expect"},
    {"view", "Show a run in the browser: a trace, a scenario"},
    {"survive", "Kill, stop and partition the peers of a group, and check that its lock survives"},
    {"handover", "Simulate peers that pass a block of data to one another with its lock"},
});

bool is_listed(std::string_view name) {
  return std::ranges::any_of(laboratory_commands,
                             [&](const auto& command) { return command.first == name; });
}

/// The command in `conch sim ...` or `conch help sim`; null if there is none.
const char* command_in(char** argv) {
  if (argv[1] != nullptr && std::string_view(argv[1]) == "help") ++argv;
  return argv[1];
}

/// The exit status of a shell that does not find a command.
constexpr int not_found = 127;

}  // namespace

bool is_for_laboratory(char** argv) {
  const char* command = command_in(argv);
  return command != nullptr && is_listed(command);
}

int run_laboratory(char** argv) {
  std::error_code error;
  std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error);
  // argv[0] keeps the name of this program, which messages and help show.
  if (!error) ::execv((here.parent_path() / program).c_str(), argv);
  ::execvp(program, argv);
  fmt::print(stderr,
             "conch: {} is a command of the laboratory, which is not installed: install the "
             "package conch-lab, or build it with ./dev build\n",
             command_in(argv));
  return not_found;
}

void add_laboratory_commands(CLI::App& app) {
  for (auto [name, what] : laboratory_commands)
    app.add_subcommand(std::string(name), std::string(what))->group("The laboratory (conch-lab)");
}

}  // namespace conch::cli
