#include "program/command_words.hpp"

#include <algorithm>
#include <conch/error.hpp>

namespace conch::program {

namespace {

/// Finds the choices in `TEXT:{tcp,unix}`.
std::vector<std::string> choices_in(const std::string& type) {
  std::size_t open = type.find('{');
  std::size_t close = type.find('}', open);
  if (open == type.npos || close == type.npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

/// Finds the bounds in `INT:INT in [0 - 255]`.
std::string bounds_in(const std::string& type) {
  std::size_t open = type.find("in [");
  std::size_t close = type.find(']', open);
  return open == type.npos ? "" : type.substr(open + 4, close - open - 4);
}

std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0 || option.get_type_size() == 0) return "";
  std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

bool is_about_a_path(const OptionWords& words) {
  std::string text = CLI::detail::to_lower(words.names.back() + " " + words.about);
  return text.find("file") != text.npos || text.find("directory") != text.npos;
}

OptionWords words_of_option(const CLI::Option& option, const KnownValues& values) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.names.empty()) words.names.push_back(option.get_single_name());
  words.choices = choices_in(option.get_type_name());
  words.bounds = bounds_in(option.get_type_name());
  words.value = value_of(option);
  for (const std::string& name : words.names)
    if (auto known = values.find(name); known != values.end()) words.choices = known->second;
  words.usual = option.get_default_str();
  words.variable = option.get_envname();
  words.about = option.get_description();
  words.is_path = is_about_a_path(words);
  words.required = option.get_required();
  words.repeatable = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return words;
}

OptionGroup& group_titled(std::vector<OptionGroup>& groups, const std::string& title) {
  auto found = std::find_if(groups.begin(), groups.end(),
                            [&](const OptionGroup& group) { return group.title == title; });
  return found != groups.end() ? *found : groups.emplace_back(OptionGroup{title, {}});
}

/// CLI11's default group of subcommands.
constexpr const char* own_group = "Subcommands";

CommandWords words_below(const CLI::App& app, std::vector<std::string> path,
                         const KnownValues& values) {
  CommandWords words;
  words.path = std::move(path);
  words.about = app.get_description();
  words.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->nonpositional()) {
      OptionGroup& group = group_titled(words.groups, option->get_group());
      group.options.push_back(words_of_option(*option, values));
    } else {
      words.arguments.push_back(words_of_option(*option, values));
    }
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    std::vector<std::string> below = words.path;
    below.push_back(command->get_name());
    words.commands.push_back(words_below(*command, std::move(below), values));
    if (command->get_group() != own_group) words.commands.back().elsewhere = command->get_group();
  }
  return words;
}

std::string usage_of(const OptionWords& argument) {
  std::string name = argument.names.front() + (argument.repeatable ? "..." : "");
  // The command after -- has options of its own.
  if (argument.about.starts_with("After --")) return "-- " + name;
  return argument.required ? name : "[" + name + "]";
}

}  // namespace

std::string CommandWords::full_name(const std::string& separator) const {
  return CLI::detail::join(path, separator);
}

std::vector<OptionWords> CommandWords::options() const {
  std::vector<OptionWords> all;
  for (const OptionGroup& group : groups)
    all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

bool CommandWords::takes_path() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const OptionWords& argument) { return argument.is_path; });
}

std::string CommandWords::usage() const {
  std::string text = full_name() + " [OPTIONS]";
  for (const OptionWords& argument : arguments) text += " " + usage_of(argument);
  if (!commands.empty()) text += " COMMAND";
  return text;
}

CommandWords command_at(const CommandWords& program, const std::vector<std::string>& path) {
  const CommandWords* at = &program;
  for (const std::string& name : path) {
    auto found = std::find_if(at->commands.begin(), at->commands.end(),
                              [&](const CommandWords& each) { return each.name() == name; });
    if (found == at->commands.end()) throw Error(at->full_name() + " has no command " + name);
    at = &*found;
  }
  return *at;
}

CommandWords words_of(const CLI::App& app, const KnownValues& values) {
  return words_below(app, {app.get_name()}, values);
}

}  // namespace conch::program
