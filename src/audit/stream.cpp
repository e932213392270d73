#include "audit/stream.hpp"

#include <algorithm>
#include <conch/error.hpp>

namespace conch::audit {

TraceStream::TraceStream(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  advance();
}

void TraceStream::advance() {
  if (!std::getline(in_, text_)) return void(ended_ = true);
  ++line_number_;
  std::string why;
  if (auto line = trace::parse_line(text_, why)) {
    head_ = *line;
    at_ = std::max(at_, head_.at);
    return;
  }
  bool is_last = in_.eof();  // No newline: its writer was killed.
  bool has_begun = text_.starts_with("{\"at\":") || std::string_view("{\"at\":").starts_with(text_);
  if (!is_last || !has_begun)
    throw Error(name_ + " is not a trace: line " + std::to_string(line_number_) + ": " + why);
  ended_ = true;
  unfinished_ = true;
}

}  // namespace conch::audit
