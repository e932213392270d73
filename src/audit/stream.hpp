// Reads a trace line by line.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "trace/line.hpp"

namespace conch::audit {

/// A position in the traces.
struct TracePosition {
  /// The index of the stream, in the order given.
  std::size_t stream = 0;
  std::uint64_t line = 0;
  friend bool operator==(const TracePosition&, const TracePosition&) = default;
};

class TraceStream {
 public:
  /// Reads the first line. Throws Error if it is not a line of a trace.
  TraceStream(std::istream& in, std::string name);

  const std::string& name() const { return name_; }
  bool has_ended() const { return ended_; }
  /// The current line; only before the end. Its texts are valid until the next call of `advance`.
  const trace::Line& head() const { return head_; }
  std::uint64_t line_number() const { return line_number_; }
  /// The time of the current line; it never goes back.
  std::int64_t at() const { return at_; }
  /// Throws Error if the next line is not a line of a trace. Skips an unfinished line at the end.
  void advance();
  bool is_unfinished() const { return unfinished_; }

 private:
  std::istream& in_;
  std::string name_;
  std::string text_;
  trace::Line head_;
  std::uint64_t line_number_ = 0;
  std::int64_t at_ = 0;
  bool ended_ = false;
  bool unfinished_ = false;
};

}  // namespace conch::audit
