// Checks what no compiler checks: which layer may include which, and a few rules of style. Runs in
// the root of the repository. Every complaint says where, what, and what to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Complaints = std::vector<std::string>;
using Words = std::vector<std::string_view>;

constexpr std::size_t columns_max = 100;
constexpr std::size_t lines_max = 500;

struct SourceLine {
  std::size_t number = 1;
  std::string_view text;
};

std::vector<SourceLine> lines_of(std::string_view text) {
  std::vector<SourceLine> lines;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back({lines.size() + 1, text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find("//")); }

bool is_part_of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Whether the text contains these words, but not as the end of a longer word.
bool mentions(std::string_view text, std::string_view words) {
  for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1))
    if (at == 0 || !is_part_of_a_word(text[at - 1])) return true;
  return false;
}

struct Include {
  std::size_t line = 1;
  std::string name;
  bool quoted = false;
  std::string folder() const { return name.substr(0, std::min(name.find('/'), name.size())); }
};

std::optional<Include> include_in(const SourceLine& line) {
  std::string_view text = trimmed(line.text);
  for (std::string_view token : {"#", "include"}) {
    if (!text.starts_with(token)) return std::nullopt;
    text = trimmed(text.substr(token.size()));
  }
  bool quoted = text.starts_with('"');
  if (!quoted && !text.starts_with('<')) return std::nullopt;
  text.remove_prefix(1);
  return Include{line.number, std::string(text.substr(0, text.find(quoted ? '"' : '>'))), quoted};
}

/// A source file, with the queries that the rules need.
class Source {
 public:
  Source(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  std::string_view text() const { return text_; }
  std::vector<SourceLine> lines() const { return lines_of(text_); }
  std::vector<Include> includes() const {
    std::vector<Include> found;
    for (const SourceLine& line : lines())
      if (auto include = include_in(line)) found.push_back(*include);
    return found;
  }
  bool is_under(std::string_view folder) const { return path_.starts_with(folder); }
  bool is_header() const { return path_.ends_with(".hpp") || path_.ends_with(".h"); }
  bool is_test() const {
    return path_.ends_with("_test.cpp") || path_.find("/testing/") != path_.npos;
  }
  /// The folder of src/ that the file is in.
  std::optional<std::string> layer() const {
    if (!is_under("src/")) return std::nullopt;
    return path_.substr(4, path_.find('/', 4) - 4);
  }
  std::string at(std::size_t line) const { return path_ + ":" + std::to_string(line) + ": "; }

 private:
  std::string path_;
  std::string text_;
};

/// The folders of src/ in the order of docs/layers.txt, each with the words that follow it there.
class Layers {
 public:
  explicit Layers(std::string_view text) {
    for (const SourceLine& line : lines_of(text)) {
      std::istringstream words{std::string(line.text.substr(0, line.text.find('#')))};
      Layer layer;
      if (!(words >> layer.name)) continue;
      for (std::string word; words >> word;) layer.marks.insert(word);
      layers_.push_back(std::move(layer));
    }
  }

  bool know(std::string_view layer) const { return place(layer) < layers_.size(); }
  bool allow(std::string_view layer, std::string_view to_include) const {
    return place(to_include) <= place(layer);
  }
  /// Whether one layer belongs to the lock and the other one to the laboratory.
  bool part(std::string_view layer, std::string_view other) const {
    return (has(layer, "lock") && has(other, "laboratory")) ||
           (has(layer, "laboratory") && has(other, "lock"));
  }
  /// Whether the source may use the standard library alone.
  bool keep_pure(const Source& source) const {
    return source.layer() && has(*source.layer(), "pure");
  }

 private:
  struct Layer {
    std::string name;
    std::set<std::string> marks;
  };

  std::size_t place(std::string_view layer) const {
    auto found = std::find_if(layers_.begin(), layers_.end(),
                              [&](const Layer& known) { return known.name == layer; });
    return static_cast<std::size_t>(found - layers_.begin());
  }
  bool has(std::string_view layer, const std::string& mark) const {
    return know(layer) && layers_[place(layer)].marks.contains(mark);
  }
  std::vector<Layer> layers_;
};

/// Pure headers have no threads, clocks, file systems, locales or standard distributions, which
/// would differ between two machines or two runs.
bool is_pure_header(const std::string& name) {
  static const std::string headers =
      " algorithm any array bit bitset cassert cctype cerrno cfloat charconv chrono cinttypes "
      "climits cmath compare complex concepts cstdarg cstddef cstdint cstdio cstdlib cstring deque "
      "exception forward_list fstream functional initializer_list iomanip ios iosfwd istream "
      "iterator limits list map memory memory_resource new numbers numeric optional ostream queue "
      "ranges ratio set source_location span sstream stack stdexcept streambuf string string_view "
      "system_error tuple type_traits typeindex typeinfo utility valarray variant vector version ";
  return headers.find(" " + name + " ") != headers.npos;
}

using Rule = void (*)(const Source&, const Layers&, Complaints&);

void folders_are_layers(const Source& source, const Layers& layers, Complaints& complaints) {
  if (source.layer() && !layers.know(*source.layer()))
    complaints.push_back(source.at(1) + "src/" + *source.layer() +
                         " is no layer; add it to docs/layers.txt, below what it includes");
}

void layers_include_what_stands_above(const Source& source, const Layers& layers,
                                      Complaints& complaints) {
  if (!source.layer()) return;
  for (const Include& include : source.includes()) {
    if (!include.quoted) continue;
    if (!layers.know(include.folder())) {
      complaints.push_back(source.at(include.line) + "\"" + include.name +
                           "\" is in no layer; write \"layer/file\", or <> if it is not ours");
    } else if (!layers.allow(*source.layer(), include.folder())) {
      complaints.push_back(source.at(include.line) + *source.layer() + " includes \"" +
                           include.name + "\", which stands below it; move what it needs up");
    } else if (layers.part(*source.layer(), include.folder())) {
      complaints.push_back(source.at(include.line) + *source.layer() + " includes \"" +
                           include.name +
                           "\", which is of the other program; move what both "
                           "need into a folder that both may use");
    }
  }
}

void pure_layers_use_the_standard_library_alone(const Source& source, const Layers& layers,
                                                Complaints& complaints) {
  if (!layers.keep_pure(source)) return;
  for (const Include& include : source.includes()) {
    bool for_test = source.is_test() && include.folder() == "gtest";
    bool is_public = include.folder() == "conch";
    if (include.quoted || for_test || is_public || is_pure_header(include.name)) continue;
    complaints.push_back(source.at(include.line) + "<" + include.name +
                         "> does not belong in a layer that runs everywhere the same; "
                         "do without, or do it in a layer that is not pure");
  }
}

void public_headers_include_no_private_ones(const Source& source, const Layers&,
                                            Complaints& complaints) {
  if (!source.is_under("include/")) return;
  for (const Include& include : source.includes()) {
    bool is_public = !include.quoted || include.folder() == "conch" || include.name == "dho.h";
    if (!is_public)
      complaints.push_back(source.at(include.line) + "a public header includes \"" + include.name +
                           "\"; declare here what users need");
  }
}

struct Ban {
  Words words;
  std::string advice;
};

void pure_layers_do_everywhere_the_same(const Source& source, const Layers& layers,
                                        Complaints& complaints) {
  static const std::vector<Ban> bans{
      {{"std::unordered_"}, "its order may reach the wire; use an ordered container"},
      {{"rand(", "srand(", "std::mt19937", "std::minstd_rand", "std::default_random_engine",
        "std::random_device", "std::uniform_", "std::normal_distribution",
        "std::lognormal_distribution", "std::exponential_distribution", "std::poisson_distribution",
        "std::bernoulli_distribution", "std::geometric_distribution", "std::discrete_distribution",
        "std::shuffle", "std::sample"},
       "it differs between libraries; use the world's generator"},
      {{"std::this_thread::sleep", "usleep(", "nanosleep("}, "time is virtual; use a timer"}};
  if (!layers.keep_pure(source)) return;
  for (const SourceLine& line : source.lines())
    for (const Ban& ban : bans)
      for (std::string_view words : ban.words)
        if (mentions(without_comment(line.text), words))
          complaints.push_back(source.at(line.number) + std::string(words) + ": " + ban.advice);
}

std::size_t columns_of(std::string_view line) {
  auto begins_character = [](char c) { return (c & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_character));
}

void lines_are_clean(const Source& source, const Layers&, Complaints& complaints) {
  for (const auto& [number, text] : source.lines()) {
    if (columns_of(text) > columns_max)
      complaints.push_back(source.at(number) + std::to_string(columns_of(text)) +
                           " columns; break the line at " + std::to_string(columns_max));
    if (text.find('\t') != text.npos)
      complaints.push_back(source.at(number) + "a tab; indent with spaces (./dev fmt)");
    if (text.ends_with(' ') || text.ends_with('\r'))
      complaints.push_back(source.at(number) +
                           "blanks at the end of the line; remove them (./dev fmt)");
  }
}

void files_end_with_one_newline(const Source& source, const Layers&, Complaints& complaints) {
  std::string_view text = source.text();
  bool one = text.ends_with('\n') && !text.ends_with("\n\n");
  if (!one)
    complaints.push_back(source.at(source.lines().size()) +
                         "the file does not end with one newline; make it one (./dev fmt)");
}

void files_are_one_idea(const Source& source, const Layers&, Complaints& complaints) {
  std::size_t lines = source.lines().size();
  if (lines > lines_max)
    complaints.push_back(source.at(lines_max + 1) + std::to_string(lines) + " lines, more than " +
                         std::to_string(lines_max) + "; find the two ideas in it and part them");
}

void headers_have_pragma_once(const Source& source, const Layers&, Complaints& complaints) {
  if (!source.is_header()) return;
  for (const SourceLine& line : source.lines())
    if (line.text == "#pragma once") return;
  complaints.push_back(source.at(1) + "no #pragma once; add it after the opening comment");
}

// The words are split, because this file is checked by its own rules.
const std::vector<std::string> reminders{std::string("TO") + "DO", std::string("FIX") + "ME",
                                         std::string("XX") + "X"};
const std::string open_std = std::string("using namespace ") + "std;";

void nothing_is_left_for_later(const Source& source, const Layers&, Complaints& complaints) {
  for (const auto& [number, text] : source.lines()) {
    for (const std::string& word : reminders) {
      if (!mentions(text, word)) continue;
      std::string_view rest = text.substr(text.find(word) + word.size());
      if (rest.empty() || !is_part_of_a_word(rest.front()))
        complaints.push_back(source.at(number) + word + "; do it, or open an issue");
    }
  }
}

void namespace_std_stays_closed(const Source& source, const Layers&, Complaints& complaints) {
  for (const auto& [number, text] : source.lines())
    if (mentions(without_comment(text), open_std))
      complaints.push_back(source.at(number) + open_std + " write std:: instead");
}

void algorithms_introduce_themselves(const Source& source, const Layers&, Complaints& complaints) {
  bool is_algorithm =
      (source.is_under("src/mutex/") || source.is_under("src/election/")) && source.is_header();
  if (is_algorithm && !source.text().starts_with("//"))
    complaints.push_back(source.at(1) +
                         "an algorithm opens with a comment: its source, assumptions, state, and "
                         "a line for each message");
}

Complaints complaints_about(const Source& source, const Layers& layers) {
  Complaints complaints;
  for (Rule rule :
       {folders_are_layers, layers_include_what_stands_above,
        pure_layers_use_the_standard_library_alone, public_headers_include_no_private_ones,
        pure_layers_do_everywhere_the_same, lines_are_clean, files_end_with_one_newline,
        files_are_one_idea, headers_have_pragma_once, nothing_is_left_for_later,
        namespace_std_stays_closed, algorithms_introduce_themselves})
    rule(source, layers, complaints);
  return complaints;
}

// The repository.

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> sources() {
  static const std::set<std::string> kinds{".hpp", ".cpp", ".h", ".c"};
  std::set<std::string> paths;
  for (const char* folder : {"src", "include", "tests", "bench", "fuzz", "examples"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (kinds.contains(entry.path().extension())) paths.insert(entry.path().generic_string());
  }
  return paths;
}

TEST(Tidy, TheRepositoryKeepsItsRules) {
  ASSERT_TRUE(std::filesystem::exists("docs/layers.txt")) << "run this in the repository's root";
  Layers layers(read("docs/layers.txt"));
  ASSERT_GT(sources().size(), 20u);
  for (const std::string& path : sources())
    for (const std::string& complaint : complaints_about(Source(path, read(path)), layers))
      ADD_FAILURE() << complaint;
}

// The rules, each on a small example.

Complaints about(const std::string& path, const std::string& text) {
  static const Layers layers(
      "core pure\n# a comment\nmutex pure  # another\n\nsim pure laboratory\nlab laboratory\n"
      "peer lock\n");
  return complaints_about(Source(path, text), layers);
}

TEST(Tidy, CleanFilesRaiseNoComplaint) {
  EXPECT_EQ(about("src/mutex/ring.hpp",
                  "// A ring.\n#pragma once\n\n#include <vector>\n\n"
                  "#include \"core/types.hpp\"\n#include \"mutex/a.hpp\"\n"),
            Complaints{});
  EXPECT_EQ(about("src/lab/a.cpp",
                  "#include <fmt/format.h>\n#include \"sim/a.hpp\"\n"
                  "std::unordered_map<int, int> map;\n"),
            Complaints{});
  EXPECT_EQ(about("src/sim/a_test.cpp", "#include <gtest/gtest.h>\nint operand(int);\n"),
            Complaints{});
  EXPECT_EQ(about("include/conch/a.hpp", "#pragma once\n#include \"conch/b.hpp\"\n"), Complaints{});
}

TEST(Tidy, AFolderThatIsNoLayer) {
  EXPECT_EQ(about("src/util/a.cpp", "int a;\n"),
            Complaints{"src/util/a.cpp:1: src/util is no layer; add it to docs/layers.txt, below "
                       "what it includes"});
}

TEST(Tidy, AnIncludeFromBelow) {
  EXPECT_EQ(about("src/core/a.cpp", "\n#include \"mutex/ring.hpp\"\n"),
            Complaints{"src/core/a.cpp:2: core includes \"mutex/ring.hpp\", which stands below it; "
                       "move what it needs up"});
}

TEST(Tidy, AnIncludeFromTheOtherProgram) {
  EXPECT_EQ(about("src/peer/a.cpp", "#include \"lab/table.hpp\"\n"),
            Complaints{"src/peer/a.cpp:1: peer includes \"lab/table.hpp\", which is of the other "
                       "program; move what both need into a folder that both may use"});
}

TEST(Tidy, AnIncludeFromNowhere) {
  for (std::string name : {"ring.hpp", "util/ring.hpp", "../mutex/ring.hpp"})
    EXPECT_EQ(about("src/mutex/a.cpp", "#  include \"" + name + "\"\n"),
              Complaints{"src/mutex/a.cpp:1: \"" + name +
                         "\" is in no layer; write \"layer/file\", or <> if it is not ours"});
}

TEST(Tidy, AForeignHeaderInAPureLayer) {
  for (std::string name : {"sys/socket.h", "fmt/format.h", "random", "thread", "gtest/gtest.h"})
    EXPECT_EQ(about("src/sim/a.cpp", "#include <" + name + ">\n"),
              Complaints{"src/sim/a.cpp:1: <" + name +
                         "> does not belong in a layer that runs everywhere the same; do without, "
                         "or do it in a layer that is not pure"});
}

TEST(Tidy, APrivateHeaderInAPublicOne) {
  EXPECT_EQ(about("include/dho.h", "#pragma once\n#include \"core/types.hpp\"\n"),
            Complaints{"include/dho.h:2: a public header includes \"core/types.hpp\"; declare here "
                       "what users need"});
}

TEST(Tidy, AnUnorderedContainerInAPureLayer) {
  EXPECT_EQ(about("src/sim/a.cpp", "std::unordered_set<int> set;\n"),
            Complaints{"src/sim/a.cpp:1: std::unordered_: its order may reach the wire; use an "
                       "ordered container"});
}

TEST(Tidy, AStandardDistributionInAPureLayer) {
  for (std::string word : {"rand(", "std::mt19937", "std::uniform_", "std::normal_distribution"})
    EXPECT_EQ(about("src/core/a.cpp", "auto x = " + word + "\n"),
              Complaints{"src/core/a.cpp:1: " + word +
                         ": it differs between libraries; use the world's generator"});
}

TEST(Tidy, ASleepInAPureLayer) {
  EXPECT_EQ(about("src/sim/a_test.cpp", "std::this_thread::sleep_for(1s);\n"),
            Complaints{"src/sim/a_test.cpp:1: std::this_thread::sleep: time is virtual; use a "
                       "timer"});
}

TEST(Tidy, ALongLine) {
  std::string hundred(100, 'x');
  EXPECT_EQ(about("bench/a.cpp", hundred + "\n"), Complaints{});
  EXPECT_EQ(about("bench/a.cpp", hundred.substr(2) + "ßß\n"), Complaints{});
  EXPECT_EQ(about("bench/a.cpp", "\n" + hundred + "x\n"),
            Complaints{"bench/a.cpp:2: 101 columns; break the line at 100"});
}

TEST(Tidy, ATab) {
  EXPECT_EQ(about("tests/a.cpp", "\tint a;\n"),
            Complaints{"tests/a.cpp:1: a tab; indent with spaces (./dev fmt)"});
}

TEST(Tidy, BlanksAtTheEndOfALine) {
  for (std::string blank : {" ", "\r"})
    EXPECT_EQ(about("tests/a.cpp", "int a;" + blank + "\n"),
              Complaints{"tests/a.cpp:1: blanks at the end of the line; remove them (./dev fmt)"});
}

TEST(Tidy, NoNewlineOrTwoAtTheEnd) {
  for (std::string text : {"int a;\nint b;", "int a;\n\n"})
    EXPECT_EQ(about("tests/a.cpp", text),
              Complaints{"tests/a.cpp:2: the file does not end with one newline; make it one "
                         "(./dev fmt)"});
}

TEST(Tidy, ALongFile) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "int a;\n";
  EXPECT_EQ(about("tests/a.cpp", text), Complaints{});
  EXPECT_EQ(about("tests/a.cpp", text + "int b;\n"),
            Complaints{"tests/a.cpp:501: 501 lines, more than 500; find the two ideas in it and "
                       "part them"});
}

TEST(Tidy, AHeaderWithoutPragmaOnce) {
  EXPECT_EQ(about("src/core/a.hpp", "int a;\n"),
            Complaints{"src/core/a.hpp:1: no #pragma once; add it after the opening comment"});
}

TEST(Tidy, ThingsLeftForLater) {
  for (const std::string& word : reminders)
    EXPECT_EQ(about("tests/a.cpp", "// " + word + ": later\n"),
              Complaints{"tests/a.cpp:1: " + word + "; do it, or open an issue"});
  EXPECT_EQ(about("tests/a.cpp", "int MAXXXL;\n"), Complaints{});
}

TEST(Tidy, TheWholeOfNamespaceStd) {
  EXPECT_EQ(about("tests/a.cpp", open_std + "\n"),
            Complaints{"tests/a.cpp:1: " + open_std + " write std:: instead"});
  EXPECT_EQ(about("tests/a.cpp", "using namespace std::chrono_literals;\n"), Complaints{});
}

TEST(Tidy, AnAlgorithmThatDoesNotIntroduceItself) {
  EXPECT_EQ(about("src/mutex/ring.hpp", "#pragma once\n"),
            Complaints{"src/mutex/ring.hpp:1: an algorithm opens with a comment: its source, "
                       "assumptions, state, and a line for each message"});
}

}  // namespace
