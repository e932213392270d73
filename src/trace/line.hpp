// One event as one line of JSON:
//
//   {"at":1500000,"event":"send","node":0,"peer":1,"detail":"REQUEST(origin 0)"}
//   {"at":93847562840191,"event":"send","node":"8407ed405c7a67ed","peer":"f904d1867cad83bb",
//    "life":"18a1c2","n":7,"lock":"deploy","bytes":21,"detail":"TOKEN"}       (in one line)
//
// `at` are nanoseconds, of virtual time or of the machine's clock since it was started. A simulated
// node is a small number, a peer that lives is the text by which `conch status` knows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/happening.hpp"

namespace conch::trace {

/// What a line says. The texts are somebody else's, and as they stand in the line: see `escaped`.
struct Line {
  std::int64_t at = 0;
  Happening happening = Happening::request;
  /// The node is a peer that lives.
  bool live = false;
  std::string_view node;
  /// The other end of a message, or the suspected node.
  std::string_view peer = {};
  /// Which life: of a message, the other end's; of a `join`, the one that begins.
  std::string_view life = {};
  /// Of a message of a live peer: the how many-th between the two lives; 0: it has no number.
  std::uint64_t number = 0;
  std::string_view lock = {};
  std::uint64_t bytes = 0;
  /// 0: none begins.
  std::uint64_t epoch = 0;
  /// `id.life` each, with blanks between.
  std::string_view members = {};
  /// The message, the fence, the wish, the partition.
  std::string_view detail = {};
  /// Of a simulated node after the event, where it has changed.
  std::string_view state = {};
  /// That a simulation runs.
  std::string_view algorithm = {};
};

/// What of a line is nothing is left out.
void append(std::string& out, const Line& line);

/// Without what JSON would misunderstand; in `room`, if there is something.
std::string_view escaped(std::string_view text, std::string& room);
/// The text that was escaped so; in `room`, if something was.
std::string_view unescaped(std::string_view text, std::string& room);

/// Nothing, and why, if the text is not such a line. Its texts are parts of this one.
std::optional<Line> parse_line(std::string_view text, std::string& why);

}  // namespace conch::trace
