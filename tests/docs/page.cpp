#include "docs/page.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace conch::docs {
namespace {

const std::regex prompt("^([a-z]*|[0-9])\\$ +(.*)$");
const std::regex of_ours("^([A-Z_]+=[^ ]+ )?(conch|\\./dev|build/(dev|release)/[a-z_]+) .*$");

std::string trimmed(const std::string& text) {
  std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Parses `A => B; C => D`.
std::vector<std::pair<std::string, std::string>> replacements_in(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ';');)
    if (std::size_t arrow = part.find("=>"); arrow != part.npos)
      pairs.emplace_back(trimmed(part.substr(0, arrow)), trimmed(part.substr(arrow + 2)));
  return pairs;
}

/// The words of a fence, taken one after the other.
class Info {
 public:
  explicit Info(std::string text) : text_(trimmed(text)) {}

  /// Takes this word if it is the next one.
  bool take(const std::string& word) {
    if (words_in(text_).empty() || words_in(text_).front() != word) return false;
    text_ = trimmed(text_.substr(word.size()));
    return true;
  }
  std::string take_word() {
    std::vector<std::string> words = words_in(text_);
    if (!words.empty()) take(words.front());
    return words.empty() ? "" : words.front();
  }
  std::string take_rest() { return std::exchange(text_, ""); }
  bool is_empty() const { return text_.empty(); }

 private:
  std::string text_;
};

void read_details(Info& info, Block& block) {
  if (block.kind == Kind::session) {
    if (info.take("measured")) block.precision = Precision::measured;
    if (info.take("shape")) block.precision = Precision::shape;
    block.unordered = info.take("unordered");
  }
  bool is_run = block.kind == Kind::session || block.kind == Kind::script;
  if (is_run && info.take("with")) block.replacements = replacements_in(info.take_rest());
  if (block.kind == Kind::program) block.file = info.take_word();
  if (block.kind == Kind::text && info.take("from")) block.remark = info.take_rest();
}

/// Reads the words after the opening fence into the block. Returns a complaint if they make no
/// sense.
std::string read_info(const std::string& text, Block& block) {
  Info info(text);
  block.language = info.take_word();
  if (info.take("no-run")) {
    block.kind = Kind::not_run;
    block.remark = info.take_rest();
    return block.remark.empty() ? "no-run says nothing: write why" : "";
  }
  static const std::vector<std::pair<std::string, Kind>> kinds{
      {"console", Kind::session}, {"sh", Kind::script},      {"c", Kind::program},
      {"cpp", Kind::program},     {"python", Kind::program}, {"scenario", Kind::scenario},
      {"text", Kind::text}};
  auto kind = std::ranges::find(kinds, block.language, &decltype(kinds)::value_type::first);
  if (kind == kinds.end())
    return "the block has no kind: write console, sh, c, cpp, python, scenario, text or no-run "
           "after the fence (tests/docs/page.hpp)";
  block.kind = kind->second;
  read_details(info, block);
  return info.is_empty() ? "" : "\"" + info.take_rest() + "\" is no word of a block's kind";
}

/// A complaint if the lines of a block do not fit its kind.
std::string contradiction(const Block& block) {
  auto is_command = [](const std::string& line) {
    return std::regex_match(line, prompt) || std::regex_match(line, of_ours);
  };
  bool has_commands = std::ranges::any_of(block.lines, is_command);
  if (block.kind == Kind::text && block.remark.empty() && has_commands)
    return "a text has a command: make it a console or sh block, or say no-run and why";
  if (block.kind == Kind::session && block.commands().empty())
    return "a console block has no prompt: begin its commands with \"$ \"";
  return "";
}

/// Whether an indented block begins here. Lines of a list or a paragraph may be indented, too.
bool is_indented_block(const std::vector<std::string>& lines, std::size_t at) {
  std::string before = at == 0 ? "" : lines[at - 1];
  return lines[at].starts_with("    ") && (before.empty() || before.starts_with("#"));
}

/// Collects the code between backquotes in running text, and the targets of links.
void collect_mentions(std::size_t at, const std::string& line, Page& page) {
  static const std::regex code("`([^`]+)`");
  for (std::sregex_iterator i(line.begin(), line.end(), code), end; i != end; ++i)
    page.mentions.emplace_back(at, i->str(1));
  static const std::regex link("\\]\\(([^)#:]+)[^):]*\\)");
  for (std::sregex_iterator i(line.begin(), line.end(), link), end; i != end; ++i)
    page.links.emplace_back(at, i->str(1));
}

void collect_files(std::size_t at, const std::string& line, Page& page) {
  static const std::regex file(
      "(?:^|[^\\w./-])((?:src|tests|bench|fuzz|web|cmake|examples|include)/[\\w./-]*[\\w*])");
  for (std::sregex_iterator i(line.begin(), line.end(), file), end; i != end; ++i)
    page.files.emplace_back(at, i->str(1));
}

}  // namespace

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> lines_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Block::text() const { return joined(lines); }

std::vector<Command> Block::commands() const {
  std::vector<Command> list;
  bool goes_on = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (goes_on) {
      list.back().text += "\n" + lines[i];
    } else if (std::regex_match(lines[i], match, prompt)) {
      list.push_back({match[1], match[2], {}, 0});
    } else if (!list.empty() && kind == Kind::session) {
      list.back().output.push_back(lines[i]);
      continue;
    } else if (kind != Kind::session && std::regex_match(lines[i], of_ours)) {
      list.push_back({"", lines[i], {}, 0});
    } else {
      continue;
    }
    goes_on = lines[i].ends_with('\\');
    list.back().output_at = line + 1 + i + 1;
  }
  for (Command& command : list)  // an empty line before a prompt is only layout
    if (&command != &list.back() && !command.output.empty() && command.output.back().empty())
      command.output.pop_back();
  return list;
}

Page parse_page(std::string_view text) {
  Page page;
  page.lines = lines_in(text);
  auto complain = [&](std::size_t at, const std::string& what) {
    if (!what.empty()) page.complaints.push_back(std::to_string(at + 1) + ": " + what);
  };
  bool inside = false;
  for (std::size_t at = 0; at < page.lines.size(); ++at) {
    const std::string& line = page.lines[at];
    bool is_fence = line.starts_with("```");
    if (is_fence && inside) complain(page.blocks.back().line, contradiction(page.blocks.back()));
    if (is_fence && !inside) {
      page.blocks.emplace_back().line = at;
      complain(at, read_info(line.substr(3), page.blocks.back()));
    }
    if (is_fence) {
      inside = !inside;
    } else if (inside) {
      page.blocks.back().lines.push_back(line);
      if (page.blocks.back().kind == Kind::text) collect_files(at, line, page);
    } else {
      collect_mentions(at, line, page);
      collect_files(at, line, page);
      if (is_indented_block(page.lines, at))
        complain(at, "a block that is only indented cannot say its kind: write it between fences");
    }
  }
  if (inside) complain(page.blocks.back().line, "the block has no end");
  return page;
}

}  // namespace conch::docs
