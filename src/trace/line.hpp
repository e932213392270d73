// One event of a trace as one line of JSON:
//
//   {"at":1500000,"event":"send","node":0,"peer":1,"detail":"REQUEST(origin 0)"}
//   {"at":93847562840191,"event":"send","node":"8407ed405c7a67ed","peer":"f904d1867cad83bb",
//    "life":"18a1c2","n":7,"lock":"deploy","bytes":21,"detail":"TOKEN"}       (in one line)
//
// `at` is in nanoseconds, of virtual time or of the machine's clock since boot. A simulated node is
// a small number; a live peer is the id that `conch status` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/happening.hpp"

namespace conch::trace {

/// The contents of a line. The texts are views that it does not own, still escaped; see `escaped`.
struct Line {
  std::int64_t at = 0;
  Happening happening = Happening::request;
  /// The node is a live peer.
  bool live = false;
  std::string_view node;
  /// The other end of a message, or the suspected node.
  std::string_view peer = {};
  /// The life at the other end of a message, or the life that a `join` begins.
  std::string_view life = {};
  /// Counts the messages from one live peer's life to another's, from 1; 0 for none.
  std::uint64_t number = 0;
  std::string_view lock = {};
  std::uint64_t bytes = 0;
  /// The epoch that begins; 0 for none.
  std::uint64_t epoch = 0;
  /// `id.life` of each, separated by blanks.
  std::string_view members = {};
  /// The message, the fence, the wish, or the partition.
  std::string_view detail = {};
  /// The state of a simulated node after the event, if it has changed.
  std::string_view state = {};
  /// The algorithm that a simulation runs.
  std::string_view algorithm = {};
};

/// Leaves out empty fields.
void append(std::string& out, const Line& line);

/// Escapes for JSON, using `room` if anything changes.
std::string_view escaped(std::string_view text, std::string& room);
/// Undoes `escaped`, using `room` if anything changes.
std::string_view unescaped(std::string_view text, std::string& room);

/// Empty, with the reason in `why`, if the text is not such a line. The texts of the result point
/// into `text`.
std::optional<Line> parse_line(std::string_view text, std::string& why);

}  // namespace conch::trace
