// A trace, line by line.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "trace/line.hpp"

namespace conch::audit {

/// Where something stands.
struct Place {
  /// Of the streams, in the order in which they were given.
  std::size_t stream = 0;
  std::uint64_t line = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

class TraceStream {
 public:
  /// Reads the first line. Throws Error if that is none of a trace.
  TraceStream(std::istream& in, std::string name);

  const std::string& name() const { return name_; }
  bool has_ended() const { return ended_; }
  /// Before the end. Its texts are there until the next call of `advance`.
  const trace::Line& head() const { return head_; }
  std::uint64_t line_number() const { return line_number_; }
  /// As its clock shows it, which does not go back.
  std::int64_t at() const { return at_; }
  /// Throws Error if the next line is none of a trace. An unfinished one at the end is left out.
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
