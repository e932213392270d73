// A page of the documentation as a list of its blocks. The words after a block's opening fence tell
// the test what to do with it; readers of the page do not see them.
//
//   console            commands after a prompt, and exactly their output
//   console measured   ... where times, memory and thread-dependent numbers may differ
//   console shape      ... where all numbers may differ
//   sh                 commands that must succeed, whatever they print
//   c, cpp             compiled; with a file name, written there for later commands
//   python             run; with a file name, as above
//   scenario           conch replay finds no difference
//   text               neither run nor typed in
//   text from COMMAND  output of a command that takes too long; its options must exist
//   ANY no-run WHY     commands that are not run, and why; the options of conch must exist
//
// `unordered` may follow `console` and its kind: the lines come in any order. `with THIS => THAT;
// ...` may follow `console` and `sh`: the test runs THAT in place of THIS.
//
// A prompt is `$ `. A number before it names one of several terminals; a name, one of several
// machines. A line of three dots matches any lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conch::docs {

enum class Kind { session, script, program, scenario, text, not_run };
enum class Precision { exact, measured, shape };

/// A command and its output on the page.
struct Command {
  /// "" on this machine, "1" and so on in one of its terminals, "alpha" on another machine.
  std::string terminal;
  /// The text of the command, of one line or several.
  std::string text;
  std::vector<std::string> output;
  /// The line of the file at which the output begins, counted from 0.
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
  /// Why the block is not run, or the command that a text is from.
  std::string remark;
  std::vector<std::pair<std::string, std::string>> replacements;
  std::vector<std::string> lines;

  std::string text() const;
  /// The commands of a session. In other blocks, the lines that would be commands.
  std::vector<Command> commands() const;
};

struct Page {
  std::vector<std::string> lines;
  std::vector<Block> blocks;
  /// The code between backquotes in running text, with its line.
  std::vector<std::pair<std::size_t, std::string>> mentions;
  /// The files that the page links to.
  std::vector<std::pair<std::size_t, std::string>> links;
  /// The files of the repository that running text and drawings name; a `*` stands for any end.
  std::vector<std::pair<std::size_t, std::string>> files;
  /// The faults of the page itself: where, and what to do.
  std::vector<std::string> complaints;
};

Page parse_page(std::string_view text);

std::vector<std::string> words_in(const std::string& text);
std::vector<std::string> lines_in(std::string_view text);
std::string joined(const std::vector<std::string>& lines);
/// The contents of the file; "" if there is none.
std::string contents_of(const std::string& path);

}  // namespace conch::docs
