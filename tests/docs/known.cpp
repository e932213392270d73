#include "docs/known.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "docs/page.hpp"

namespace conch::docs {
namespace {

bool is_name(const std::string& word) {
  return !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == word.npos &&
         !word.starts_with("-");
}

/// Whether a test `Suite.Name`, or one of this name in any suite, exists.
bool is_a_test(const std::string& name) {
  std::size_t dot = name.find('.');
  std::string words =
      dot == name.npos ? ", " + name : "(" + name.substr(0, dot) + ", " + name.substr(dot + 1);
  for (const char* folder : {"src", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().string().ends_with("_test.cpp") &&
          contents_of(entry.path().string()).find(words) != std::string::npos)
        return true;
  return false;
}

}  // namespace

const std::string& KnownCommands::output_of(const std::string& command) {
  auto [found, is_new] = outputs_.try_emplace(command);
  if (!is_new) return found->second;
  Printed printed = session_.run("", command);
  if (printed.status == 0) found->second = joined(printed.lines);
  return found->second;
}

std::string KnownCommands::about_options(const std::vector<std::string>& words,
                                         const std::string& help) {
  static const std::regex option("^\\[?(--[a-z-]+)");
  for (const std::string& word : words) {
    std::smatch match;
    if (word == "--") break;
    if (!std::regex_search(word, match, option)) continue;
    if (!std::regex_search(help, std::regex("[ ,]" + match.str(1) + "\\b")))
      return "there is no option " + match.str(1);
  }
  return "";
}

std::string KnownCommands::about_conch(const std::vector<std::string>& words) {
  std::string path;
  for (std::size_t i = 1; i < words.size() && i <= 2 && is_name(words[i]); ++i) {
    if (output_of("conch help" + path + " " + words[i]).empty() && i == 1)
      return "there is no command conch " + words[i];
    if (!output_of("conch help" + path + " " + words[i]).empty()) path += " " + words[i];
  }
  return about_options(words, output_of("conch help" + path));
}

std::string KnownCommands::about_dev(const std::vector<std::string>& words) {
  std::string verb = words.size() > 1 ? words[1] : "";
  std::string usage = output_of("cd " CONCH_SOURCE " && ./dev help; cd ~");
  if (is_name(verb) && usage.find("\n  " + verb + " ") == usage.npos)
    return "there is no verb " + verb;
  if (verb == "chaos" || verb == "explore")
    return about_options(words, output_of(CONCH_BUILD "/" + verb + " --help"));
  if (verb == "bench" && words.size() > 2 && is_name(words[2]) &&
      contents_of("bench/CMakeLists.txt").find("(bench_" + words[2] + " ") == std::string::npos)
    return "there is no benchmark " + words[2];
  auto filter = std::ranges::find(words, "-R");
  if (verb == "test" && filter != words.end() && !is_a_test(*(filter + 1)))
    return "there is no test " + *(filter + 1);
  return "";
}

std::string KnownCommands::complaint(const std::string& text) {
  static const std::regex file(
      "(src|tests|docs|examples|bench|include|cmake|web)/[A-Za-z0-9_/.-]+");
  if (std::regex_match(text, file) && !std::filesystem::exists(text))
    return "there is no such file";
  static const std::regex name("[A-Z][A-Za-z0-9]+\\.[A-Z][A-Za-z0-9]+");
  if (std::regex_match(text, name) && !is_a_test(text)) return "there is no such test";
  std::string command = std::regex_replace(text, std::regex("^[A-Z_]+=[^ ]+ "), "");
  std::vector<std::string> words = words_in(command.substr(0, command.find(" #")));
  if (words.empty()) return "";
  if (words[0] == "conch" || words[0] == "build/release/conch") return about_conch(words);
  if (words[0] == "./dev") return about_dev(words);
  static const std::regex test("build/dev/([a-z_]+_test) (--gtest_filter=[^ ]*).*");
  std::smatch match;
  if (std::regex_match(command, match, test)) {
    std::string list = CONCH_BUILD "/" + match.str(1) + " --gtest_list_tests " + match.str(2);
    if (output_of(list).find("  ") == std::string::npos) return "there is no such test";
  }
  return "";
}

}  // namespace conch::docs
