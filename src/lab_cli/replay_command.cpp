#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "lab_cli/commands.hpp"
#include "lab_cli/show.hpp"
#include "sim/line_diff.hpp"
#include "sim/scenario.hpp"

namespace conch::lab_cli {
namespace {

struct ReplayRequest {
  std::vector<std::string> files;
  bool rewrite = false;
  bool quiet = false;
  ShowTexts show;
};

std::optional<std::string> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

Exit fail_on(const std::string& path, std::string_view what) {
  fmt::print(stderr, "conch: {} cannot be {}\n", path, what);
  return Exit::bad_usage;
}

Exit complain(const std::string& path, const std::string& expected, const std::string& actual) {
  fmt::print("\n{} differs from what happens (- is in the file, + is what happens):\n{}", path,
             sim::print_diff(expected, actual));
  fmt::print("to accept what happens: conch replay --rewrite {}\n", path);
  return sim::breaks_safety(expected, actual) ? Exit::safety_broken : Exit::liveness_broken;
}

Exit replay(const std::string& path, const ReplayRequest& request) {
  std::optional<std::string> expected = read(path);
  if (!expected) return fail_on(path, "read");
  std::string actual = sim::replay(*expected);
  if (!request.quiet) fmt::print("{}", actual);
  if (actual == *expected) return Exit::held;
  if (!request.rewrite) return complain(path, *expected, actual);
  if (!write(path, actual)) return fail_on(path, "written");
  fmt::print("rewrote {}\n", path);
  return Exit::held;
}

/// Replays all files, even if one fails, and returns the worst exit; a broken safety property is
/// the worst.
Exit replay_all(const ReplayRequest& request) {
  Exit worst = Exit::held;
  auto severity = [](Exit exit) {
    return exit == Exit::safety_broken ? 4 : static_cast<int>(exit);
  };
  for (const std::string& path : request.files)
    worst = std::max(worst, replay(path, request),
                     [&](Exit a, Exit b) { return severity(a) < severity(b); });
  return worst;
}

void show_film(const ReplayRequest& request) {
  if (!request.show.wanted()) return;
  const std::string& path = request.files.front();
  if (request.files.size() > 1) throw BadText("--view shows one scenario");
  std::optional<std::string> script = read(path);
  if (!script) return;
  std::string title(sim::title_of(*script));
  auto films = sim::film_of(
      *script, {.title = title.empty() ? path : title, .command = "conch replay " + path});
  if (films.empty()) throw BadText(path + " is not a scenario: it has no line `nodes`");
  if (films.size() > 1)
    fmt::print(stderr, "part 1 of {}: conch view {} --part shows another\n", films.size(), path);
  show(films.front(), request.show);
}

}  // namespace

void add_replay_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "replay", "Run scenario files and compare what happens with what they expect");
  auto request = std::make_shared<ReplayRequest>();
  command->add_option("FILE", request->files, "Scenario files; see docs/simulator.md")->required();
  command->add_flag("--rewrite", request->rewrite, "Rewrite the files with what happens");
  command->add_flag("--quiet", request->quiet, "Print only differences");
  add_show_options(*command, request->show);
  command->callback([request, &invocation] {
    invocation.exit = replay_all(*request);
    std::fflush(stdout);
    show_film(*request);
  });
}

}  // namespace conch::lab_cli
