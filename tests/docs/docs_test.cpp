// Tests the documentation: every block of docs/, bench/README.md and the pages of the root is run
// as its fence says (docs/page.hpp), and the output is compared with that on the page. Runs in the
// root of the repository.
//
// A difference is shown line by line, - for the page and + for the run. To accept the new output,
//     CONCH_REWRITE_DOCS=1 ./dev test -R DocsTest && git diff
// rewrites the outputs that differ. Outputs with a line of three dots, and those of blocks that run
// something else (`with`), have to be changed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>
#include <tuple>

#include "docs/known.hpp"
#include "docs/match.hpp"
#include "docs/page.hpp"
#include "docs/session.hpp"
#include "shell.hpp"
#include "sim/line_diff.hpp"

namespace conch::docs {

std::vector<std::string> pages() {
  std::vector<std::string> paths{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
                                 "bench/README.md"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("docs", error))
    if (entry.path().extension() == ".md") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.rfind('.'));
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

class DocsTest : public Shell, public testing::WithParamInterface<std::string> {
 protected:
  DocsTest()
      : session_(scratch.path()), known_(session_), page_(parse_page(contents_of(GetParam()))) {}

  std::string at(std::size_t line) const {
    return GetParam() + ":" + std::to_string(line + 1) + ": ";
  }

  void follow(const Block& block) {
    install_for(block);
    switch (block.kind) {
      case Kind::session: return run_session(block);
      case Kind::script: return run_script(block);
      case Kind::program: return compile(block);
      case Kind::scenario: return replay(block);
      case Kind::text: return check(block.line, block.remark);
      case Kind::not_run: return check_unrun(block);
    }
  }

  /// Commands that are not run must exist, and so must the file that runs them instead.
  void check_unrun(const Block& block) {
    for (const Command& command : block.commands()) check(block.line, command.text);
    for (const std::string& word : words_in(block.remark))
      if (word.starts_with("tests/") || word.starts_with("examples/")) {
        EXPECT_TRUE(std::filesystem::exists(word)) << at(block.line) << word;
      }
  }
  void check(std::size_t line, const std::string& command) {
    std::string complaint = known_.complaint(command);
    EXPECT_EQ(complaint, "") << at(line) << command;
  }

  /// The command that the test types instead of the one on the page.
  std::string typed(std::string command, const Block& block) const {
    for (const auto& [from, to] : block.replacements)
      for (std::size_t at = 0; (at = command.find(from, at)) != command.npos; at += to.size())
        command.replace(at, from.size(), to);
    return session_.with_own_addresses(command);
  }

  void run_session(const Block& block) {
    std::vector<Command> commands = block.commands();
    std::set<std::string> terminals;
    for (const Command& command : commands) terminals.insert(command.terminal);
    if (terminals.size() > 1 && std::isdigit(static_cast<unsigned char>((*terminals.begin())[0])))
      return run_side_by_side(block, commands);
    for (const Command& command : commands)
      compare(block, command, session_.run(command.terminal, typed(command.text, block)));
  }

  /// Runs the commands in several terminals: while one waits, the next one is typed into another
  /// terminal. The first one must print what the page shows before the second one begins; `conch
  /// status` is repeated until it matches; and a `sleep` lasts until everything has been typed.
  void run_side_by_side(const Block& block, const std::vector<Command>& commands) {
    std::vector<const Command*> running;
    for (const Command& command : commands) {
      std::string text = typed(command.text, block);
      bool others_follow =
          &command != &commands.back() && (&command + 1)->terminal != command.terminal;
      if (others_follow) {
        session_.terminal(command.terminal).begin(text);
        if (running.empty())
          session_.terminal(command.terminal).await_lines(command.output.size(), patience);
        running.push_back(&command);
      } else {
        compare(block, command, run_until_it_matches(block, command, text));
      }
    }
    session_.wake_sleepers();
    for (const Command* command : running)
      compare(block, *command, session_.terminal(command->terminal).await_end(patience));
  }
  Printed run_until_it_matches(const Block& block, const Command& command,
                               const std::string& text) {
    Printed printed;
    bool only_looks = text.starts_with("conch status");
    std::ignore = await([&] {
      printed = session_.run(command.terminal, text);
      return !only_looks || is_as_printed(block, command, printed);
    });
    return printed;
  }

  bool is_as_printed(const Block& block, const Command& command, const Printed& printed) {
    // An exit status must match exactly.
    Precision precision = command.text == "echo $?" ? Precision::exact : block.precision;
    return printed.status != still_running &&
           matches(command.output, on_page(printed), precision, block.unordered);
  }
  std::vector<std::string> on_page(const Printed& printed) const {
    return lines_in(session_.with_names_of_the_page(joined(printed.lines)));
  }

  void compare(const Block& block, const Command& command, const Printed& printed) {
    EXPECT_NE(printed.status, still_running) << at(block.line) << command.text << "\nnever ended";
    if (command.output.empty()) {
      EXPECT_EQ(printed.status, 0) << at(block.line) << command.text;
    }
    if (is_as_printed(block, command, printed)) return;
    if (block.replacements.empty() && rewrite(command, on_page(printed))) return;
    auto shape = [&](const std::vector<std::string>& lines) {
      return joined(shapes_of(lines, block.precision, block.unordered));
    };
    ADD_FAILURE() << at(command.output_at) << command.text << " (- is on the page, + happens):\n"
                  << sim::print_diff(shape(command.output), shape(on_page(printed)));
  }
  bool rewrite(const Command& command, const std::vector<std::string>& lines) {
    const char* wish = std::getenv("CONCH_REWRITE_DOCS");
    bool may = wish != nullptr && std::string(wish) == "1";
    if (!may || std::ranges::find(command.output, "...") != command.output.end()) return false;
    edits_.push_back({command.output_at, command.output.size(), lines});
    return true;
  }
  void save_rewritten() {
    if (edits_.empty()) return;
    std::ranges::sort(edits_, std::greater{}, &Edit::at);
    for (const Edit& edit : edits_) {
      auto begin = page_.lines.begin() + static_cast<std::ptrdiff_t>(edit.at);
      begin = page_.lines.erase(begin, begin + static_cast<std::ptrdiff_t>(edit.count));
      page_.lines.insert(begin, edit.lines.begin(), edit.lines.end());
    }
    std::ofstream(GetParam()) << joined(page_.lines);
  }

  void run_script(const Block& block) {
    for (const Command& command : block.commands()) check(block.line, command.text);
    Printed printed = session_.run("", "(set -e\n" + typed(block.text(), block) + ")");
    EXPECT_EQ(printed.status, 0) << at(block.line) << "\n" << joined(printed.lines);
  }
  /// Installs the library, as a reader who followed README.md has done.
  void install_for(const Block& block) {
    bool is_run = block.kind == Kind::session || block.kind == Kind::script;
    auto has = [&](const char* words) { return block.text().find(words) != std::string::npos; };
    if (!is_run || !has("pkg-config") || has("./dev install")) return;
    std::string prefix = session_.home() + "/installed";
    session_.run("", "cmake --install " CONCH_BUILD " --prefix " + prefix);
    session_.run("", "export PKG_CONFIG_PATH=" + prefix + "/lib/pkgconfig");
    session_.run("", "export LD_LIBRARY_PATH=" + prefix + "/lib");
  }

  /// Whether the block needs the Python package where it was not built. Such blocks are only
  /// counted.
  static bool needs_what_is_not_built(const Block& block) {
    bool is_run = block.kind == Kind::session || block.kind == Kind::program;
    bool needs_python =
        block.language == "python" || block.text().find("python3 ") != std::string::npos;
    return is_run && needs_python && !ShellSession::has_python();
  }

  void run_python(const Block& block) {
    std::string file = block.file.empty() ? "snippet.py" : block.file;
    std::ofstream(session_.home() + "/" + file) << block.text();
    if (!block.file.empty()) return;  // a later command runs it
    Printed printed = session_.run("", "python3 " + file);
    EXPECT_EQ(printed.status, 0) << at(block.line) << "\n" << joined(printed.lines);
  }

  void compile(const Block& block) {
    if (block.language == "python") return run_python(block);
    bool is_cpp = block.language == "cpp";
    std::string file = block.file.empty() ? "snippet." + block.language : block.file;
    std::string text = block.text();
    if (text.find("int main(") == std::string::npos)
      text =
          "#include <conch/mutex.hpp>\n#include <conch/peer.hpp>\n#include <mutex>\n"
          "void snippet() {\n" +
          text + "}\n";
    std::ofstream(session_.home() + "/" + file) << text;
    if (!block.file.empty()) return;  // a later command compiles it
    std::string compiler = is_cpp ? CONCH_CXX " -std=c++20" : CONCH_CC " -std=c11";
    Printed printed = session_.run(
        "",
        compiler + " -Wall -Wextra -Wno-unused -fsyntax-only -I" CONCH_SOURCE "/include " + file);
    EXPECT_EQ(printed.status, 0) << at(block.line) << "\n" << joined(printed.lines);
  }

  void replay(const Block& block) {
    std::ofstream(session_.home() + "/example.txt") << block.text();
    Printed printed = session_.run("", "conch replay example.txt");
    EXPECT_EQ(printed.status, 0) << at(block.line) << "\n" << joined(printed.lines);
  }

  struct Edit {
    std::size_t at;
    std::size_t count;
    std::vector<std::string> lines;
  };

  ShellSession session_;
  KnownCommands known_;
  Page page_;
  std::vector<Edit> edits_;
};

/// Whether the repository has the file, or one that begins as it does, before a `*`.
bool is_there(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  if (!name.ends_with('*')) return std::filesystem::exists(file);
  name.pop_back();
  std::error_code ignored;
  std::filesystem::directory_iterator folder(file.parent_path(), ignored);
  return std::any_of(begin(folder), end(folder), [&](const auto& each) {
    return each.path().filename().string().starts_with(name);
  });
}

TEST_P(DocsTest, SaysWhatHappens) {
  for (const std::string& complaint : page_.complaints)
    ADD_FAILURE() << GetParam() << ":" << complaint;
  std::map<std::string, int> counts;
  for (const Block& block : page_.blocks) {
    if (needs_what_is_not_built(block)) {
      ++counts["not run: this build has no Python package (CONCH_PYTHON)"];
      continue;
    }
    follow(block);
    ++counts[block.kind == Kind::not_run ? "not run: " + block.remark : block.language];
  }
  for (const auto& [line, command] : page_.mentions) check(line, command);
  std::filesystem::path folder = std::filesystem::path(GetParam()).parent_path();
  for (const auto& [line, link] : page_.links)
    EXPECT_TRUE(std::filesystem::exists(folder / link)) << at(line) << "leads nowhere: " << link;
  for (const auto& [line, file] : page_.files)
    EXPECT_TRUE(is_there(file)) << at(line) << "there is no " << file;
  save_rewritten();
  for (const auto& [what, count] : counts) std::cout << count << " " << what << "\n";
  std::cout << page_.mentions.size() << " words of code in running text\n";
}

INSTANTIATE_TEST_SUITE_P(Pages, DocsTest, testing::ValuesIn(pages()), test_name);

TEST(DocsPages, AreThere) { EXPECT_GE(pages().size(), 20u); }

}  // namespace conch::docs
