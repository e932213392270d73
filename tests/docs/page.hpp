// A page of the documentation, taken apart into its blocks. The words after a block's opening fence
// say what a test does with it; readers of the page do not see them.
//
//   console            commands after a prompt, and exactly what they print
//   console measured   ... where times, memory and what depends on threads may be other numbers
//   console shape      ... where every number may be another
//   sh                 commands that must succeed, whatever they print
//   c, cpp             compiled; with a file's name, written there for the commands that follow
//   python             run; with a file's name, as above
//   scenario           conch replay finds no difference
//   text               neither run nor typed in
//   text from COMMAND  what a command printed that takes too long; its options must exist
//   ANY no-run WHY     commands that are not run, and why; the options of ours must exist
//
// After `console` and its kind may stand `unordered` (the lines come in any order), and after
// `console` and `sh`, `with THIS => THAT; ...`: what the test runs in place of what is printed.
//
// A prompt is `$ `. With a number before it, it is one of several terminals; with a name, one of
// several machines. A line of three dots stands for any lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conch::docs {

enum class Kind { session, script, program, scenario, text, not_run };
enum class Precision { exact, measured, shape };

/// A command and what the page says that it prints.
struct Command {
  /// "" on this machine, "1" and so on in one of its terminals, "alpha" on another machine.
  std::string terminal;
  /// May have several lines.
  std::string text;
  std::vector<std::string> output;
  /// Where in the file the output begins; lines are counted from 0.
  std::size_t output_at = 0;
};

struct Block {
  std::size_t line = 0;
  Kind kind = Kind::text;
  Precision precision = Precision::exact;
  bool unordered = false;
  /// c, cpp or python.
  std::string language;
  std::string file;
  /// Why it is not run, or the command that a text is from.
  std::string remark;
  std::vector<std::pair<std::string, std::string>> replacements;
  std::vector<std::string> lines;

  std::string text() const;
  /// The commands of a session; in other blocks, the lines that would be commands.
  std::vector<Command> commands() const;
};

struct Page {
  std::vector<std::string> lines;
  std::vector<Block> blocks;
  /// What stands in running text between backquotes, with its line.
  std::vector<std::pair<std::size_t, std::string>> mentions;
  /// Files that are linked to.
  std::vector<std::pair<std::size_t, std::string>> links;
  /// What is wrong with the page itself: where, and what to do.
  std::vector<std::string> complaints;
};

Page parse_page(std::string_view text);

std::vector<std::string> words_in(const std::string& text);
std::vector<std::string> lines_in(std::string_view text);
std::string joined(const std::vector<std::string>& lines);
/// What is in the file; "" without one.
std::string contents_of(const std::string& path);

}  // namespace conch::docs
