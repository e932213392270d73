// `./dev explore` tries fresh seeds of everything that takes seeds.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>

#include "explore/explorer.hpp"

namespace {

using namespace conch::explore;

constexpr int nothing_found = 0;
constexpr int something_found = 1;
constexpr int bad_usage = 2;

std::atomic<bool> is_stopped = false;

/// The path as a user would type it from here.
std::string typed(const std::string& path) {
  std::string near = std::filesystem::relative(path);
  return near.empty() || near.starts_with("..") ? path : near;
}

Programs programs() {
  Programs all{typed(EXPLORE_CONCH), typed(EXPLORE_CHAOS), {}};
  std::istringstream fuzz(EXPLORE_FUZZ);
  for (std::string path; std::getline(fuzz, path, ':');) all.fuzz.push_back(typed(path));
  return all;
}

std::vector<Family> chosen(std::vector<Family> families, const std::vector<std::string>& only) {
  std::erase_if(families, [&](const Family& family) {
    return !only.empty() && std::none_of(only.begin(), only.end(), [&](const std::string& text) {
      return family.name.find(text) != std::string::npos;
    });
  });
  return families;
}

int explore(std::vector<Family> families, const Settings& settings) {
  Explorer explorer(std::move(families), settings, is_stopped);
  explorer.run();
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\033[K");
  std::vector<FirstFailure> findings = explorer.findings();
  fmt::print("\n{}\n{}", table_of(explorer.tallies()), list_of(findings));
  if (findings.empty()) fmt::print("nothing found\n");
  return findings.empty() ? nothing_found : something_found;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings{.jobs = std::max(1u, std::thread::hardware_concurrency()),
                    .folder = typed(EXPLORE_FOLDER)};
  std::vector<std::string> only;
  bool specimens = false, list = false;
  CLI::App app("Try fresh seeds of everything that takes a seed, until the time is up.", "explore");
  app.add_option("--minutes", settings.minutes, "duration")->capture_default_str();
  app.add_option("--jobs", settings.jobs, "commands to run at a time")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  app.add_option("--only", only, "only families whose names contain this");
  app.add_option("--folder", settings.folder, "directory for failing runs")->capture_default_str();
  app.add_flag("--specimens", specimens, "families that must fail, to check that this is found");
  app.add_flag("--list", list, "list the families");
  app.footer("Exit status: 0 nothing was found, 1 something was, 2 bad usage. Ctrl-C ends it.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? nothing_found : bad_usage;
  }
  std::vector<Family> all = families(programs(), specimens ? Whose::specimens : Whose::real);
  std::vector<Family> some = chosen(std::move(all), only);
  if (some.empty()) {
    fmt::print(stderr, "explore: no such family; --list names them\n");
    return bad_usage;
  }
  if (list) {
    for (const Family& family : some) fmt::print("{}\n", family.name);
    return nothing_found;
  }
  std::signal(SIGINT, [](int) { is_stopped = true; });
  std::signal(SIGTERM, [](int) { is_stopped = true; });
  return explore(std::move(some), settings);
}
