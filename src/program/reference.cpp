#include "program/reference.hpp"

#include <fmt/core.h>

#include <conch/error.hpp>
#include <conch/version.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include "catalog/catalog.hpp"
#include "program/completion.hpp"
#include "program/man_page.hpp"

namespace conch::program {

namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

void add_names(Names& names, std::span<const CatalogEntry> entries) {
  for (const CatalogEntry& entry : entries) names.emplace_back(entry.about.name);
}

Names algorithms_to_run() {
  Names names;
  for (const CatalogEntry& entry : catalog())
    if (entry.about.is_sound()) names.emplace_back(entry.about.name);
  add_names(names, protocols());
  return names;
}

Names algorithms_to_study() {
  Names names;
  add_names(names, catalog());
  add_names(names, elections());
  add_names(names, protocols());
  return names;
}

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path);
  if (!(file << text).flush()) throw Error("cannot write " + path.string());
}

}  // namespace

CommandWords reference_of(const CLI::App& app) {
  return words_of(app, {{"--algorithm", algorithms_to_run()},
                        {"algorithm", algorithms_to_study()},
                        {"--dht", {"pastry", "chord"}},
                        {"--log-format", {"text", "json"}}});
}

std::string reference_page(const CommandWords& command) {
  return man_page(command, {std::string(version()), man_date()});
}

void write_reference(const CommandWords& program, const std::string& folder) {
  fs::path root(folder);
  fs::path pages = root / "man" / "man1";
  write_text(pages / (program.name() + ".1"), reference_page(program));
  for (const CommandWords& command : program.commands)
    if (command.elsewhere.empty())
      write_text(pages / (command.full_name("-") + ".1"), reference_page(command));
  std::string name = program.name();
  write_text(root / "bash-completion" / "completions" / name, bash_completion(program));
  write_text(root / "zsh" / "site-functions" / ("_" + name), zsh_completion(program));
  write_text(root / "fish" / "vendor_completions.d" / (name + ".fish"), fish_completion(program));
}

void add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a completion script for bash, zsh or fish");
  command->add_option("shell", *shell, "Shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example:\n  " + app.get_name() + " completion bash");
  command->callback([&app, shell] { fmt::print("{}", completion_for(*shell, reference_of(app))); });
}

}  // namespace conch::program
