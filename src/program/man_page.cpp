#include "program/man_page.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>

namespace conch::program {

namespace {

/// Escapes text for roff, and sets what is between backquotes in bold.
std::string roff(std::string_view text) {
  std::string out;
  bool is_bold = false;
  for (char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '"': out += "\\(dq"; break;
      case '`': out += std::exchange(is_bold, !is_bold) ? "\\fR" : "\\fB"; break;
      default: out += c;
    }
  }
  return (out.starts_with(".") ? "\\&" : "") + out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

std::string remarks_on(const OptionWords& option) {
  std::string text;
  if (!option.choices.empty()) text += " One of " + CLI::detail::join(option.choices, ", ") + ".";
  if (!option.bounds.empty()) text += " In " + option.bounds + ".";
  if (!option.usual.empty()) text += " Default: " + option.usual + ".";
  if (!option.variable.empty()) text += " Else taken from $" + option.variable + ".";
  if (option.required) text += " Required.";
  return text;
}

std::string tagged(const OptionWords& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  bool is_argument = !option.names.front().starts_with('-');
  if (!option.value.empty() && !is_argument) names += " " + italic(option.value);
  return ".TP\n" + names + "\n" + roff(sentence(option.about) + remarks_on(option)) + "\n";
}

std::string tagged(const std::vector<OptionWords>& options) {
  std::string text;
  for (const OptionWords& option : options) text += tagged(option);
  return text;
}

std::string options_of_page(const CommandWords& command) {
  std::string text;
  if (!command.arguments.empty()) text += ".SH ARGUMENTS\n" + tagged(command.arguments);
  for (const OptionGroup& group : command.groups)
    text += ".SH " + roff(upper(group.title)) + "\n" + tagged(group.options);
  return text;
}

/// Formats a row such as `  75  the lock was not free`: a term and its meaning.
std::string row_of_footer(std::string_view line) {
  line.remove_prefix(line.find_first_not_of(' '));
  std::size_t gap = line.find("  ");
  if (gap == line.npos) return "";
  std::string_view meaning = line.substr(line.find_first_not_of(' ', gap));
  return ".TP\n" + bold(line.substr(0, gap)) + "\n" + roff(meaning) + "\n";
}

/// Formats a footer. It has prose, then indented rows or examples; `Exit status:` and `Examples:`
/// are titles wherever they appear.
class Footer {
 public:
  std::string page_of(const std::string& footer) {
    for (const std::string& line : CLI::detail::split(footer, '\n')) add(line);
    return std::move(out_);
  }

 private:
  void add(std::string line) {
    if (line.empty()) return;
    if (line.starts_with("  conch")) return add_example(line.substr(2));
    if (line.starts_with("  ")) return void(out_ += row_of_footer(line));
    for (const char* title : {"Exit status:", "Examples:", "Example:"})
      if (std::size_t at = line.find(title); at != line.npos) {
        add(line.substr(0, at));
        bool is_exit = title[1] == 'x' && title[2] == 'i';
        out_ += is_exit ? ".SH EXIT STATUS\n" : ".SH EXAMPLES\n";
        return add(line.substr(at + std::string_view(title).size()));
      }
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) out_ += roff(line) + "\n";
  }
  void add_example(const std::string& line) {
    if (!out_.ends_with("EXAMPLES\n")) out_ += ".PP\n";
    out_ += ".nf\n" + roff(line) + "\n.fi\n";
  }

  std::string out_;
};

std::string page_name(const CommandWords& command) { return CLI::detail::join(command.path, "-"); }

std::string list_of(const CommandWords& program) {
  std::string text = ".SH COMMANDS\n";
  std::string title;
  for (const CommandWords& command : program.commands) {
    if (command.elsewhere != title && !command.elsewhere.empty())
      text += ".SH " + roff(upper(command.elsewhere)) + "\n";
    title = command.elsewhere;
    text += ".TP\n";
    text += title.empty() ? bold(page_name(command)) + "(1)" : bold(command.full_name());
    text += "\n" + roff(sentence(command.about)) + "\n";
  }
  return text;
}

/// Each subcommand is a section of its command's page.
std::string parts_of(const CommandWords& command) {
  std::string text;
  for (const CommandWords& part : command.commands) {
    text += ".SH " + roff(upper(part.full_name())) + "\n" + bold(part.usage()) + "\n.PP\n" +
            roff(sentence(part.about)) + "\n" + tagged(part.arguments) + tagged(part.options());
    std::string footer = Footer().page_of(part.footer);
    // The footer's titles become subsections.
    for (std::size_t at = 0; (at = footer.find(".SH ", at)) != footer.npos; at += 4)
      footer.replace(at, 3, ".SS");
    text += footer + parts_of(part);
  }
  return text;
}

std::string see_also(const CommandWords& command) {
  std::string text;
  for (const CommandWords& each : command.commands)
    if (each.elsewhere.empty()) text += (text.empty() ? "" : ",\n") + bold(page_name(each)) + "(1)";
  if (command.path.size() > 1) text = bold(command.path.front()) + "(1)";
  return ".SH SEE ALSO\n" + text + "\n";
}

}  // namespace

std::string man_page(const CommandWords& command, const ManDetails& details) {
  bool is_program = command.path.size() == 1;
  std::string text =
      fmt::format(".TH {} 1 {} \"{} {}\" \"User Commands\"\n", roff(upper(page_name(command))),
                  details.date, command.path.front(), details.version);
  std::string about = command.about;
  if (about.ends_with('.')) about.pop_back();  // whatis(1) shows it as a title
  text += ".SH NAME\n" + roff(page_name(command)) + " \\- " + roff(about) + "\n";
  text += ".SH SYNOPSIS\n" + bold(command.usage()) + "\n";
  text += is_program ? list_of(command) : "";
  text += options_of_page(command);
  text += is_program ? "" : parts_of(command);
  text += Footer().page_of(command.footer);
  return text + see_also(command);
}

std::string man_date() {
  std::chrono::seconds since_1970 = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH"))
    since_1970 = std::chrono::seconds(std::strtoll(epoch, nullptr, 10));
  return fmt::format("{:%F}", std::chrono::sys_seconds(since_1970));
}

}  // namespace conch::program
