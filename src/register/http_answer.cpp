#include "register/http_answer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace conch::http {

namespace {

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::size_t> number_in(std::string_view text, int base) {
  std::size_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

void AnswerReader::feed(std::string_view bytes) {
  rest_ += bytes;
  while (step()) {
  }
}

/// False if it needs more input.
bool AnswerReader::step() {
  std::string line;
  switch (part_) {
    case Part::status:
      if (!take_head_line(line)) return false;
      read_status(line);
      return true;
    case Part::fields:
      if (!take_head_line(line)) return false;
      line.empty() ? end_head() : read_field(line);
      return true;
    case Part::counted:
      if (!move_body()) return false;
      part_ = Part::done;
      return true;
    case Part::chunk_size: {
      head_bytes_ = 0;
      if (!take_head_line(line)) return false;
      auto size = number_in(trimmed(std::string_view(line).substr(0, line.find(';'))), 16);
      if (!size || *size > answer_body_bytes_max) throw Nonsense("the size of a chunk is invalid");
      left_ = *size;
      part_ = left_ == 0 ? Part::trailer : Part::chunk;
      return true;
    }
    case Part::chunk:
      if (!move_body()) return false;
      part_ = Part::chunk_end;
      return true;
    case Part::chunk_end:
      if (!take_head_line(line)) return false;
      if (!line.empty()) throw Nonsense("a chunk is longer than it says");
      part_ = Part::chunk_size;
      return true;
    case Part::trailer:
      if (!take_head_line(line)) return false;
      if (line.empty()) part_ = Part::done;
      return true;
    case Part::done:
      if (!rest_.empty()) throw Nonsense("bytes follow the answer");
      return false;
  }
  return false;
}

bool AnswerReader::take_head_line(std::string& line) {
  std::size_t end = rest_.find('\n');
  if (std::min(end, rest_.size()) + head_bytes_ > answer_head_bytes_max)
    throw Nonsense("its header is too long");
  if (end == std::string::npos) return false;
  line = rest_.substr(0, end);
  if (line.ends_with('\r')) line.pop_back();
  rest_.erase(0, end + 1);
  head_bytes_ += end + 1;
  return true;
}

void AnswerReader::read_status(std::string_view line) {
  constexpr std::string_view version = "HTTP/1.";
  bool known = line.starts_with(version) && line.size() >= version.size() + 5;
  auto status = known ? number_in(line.substr(version.size() + 2, 3), 10) : std::nullopt;
  if (!status || *status < 100) throw Nonsense("this is not HTTP/1.1");
  closes_ = line[version.size()] == '0';
  status_ = static_cast<int>(*status);
  part_ = Part::fields;
}

void AnswerReader::read_field(std::string_view line) {
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) throw Nonsense("a header line has no name");
  std::string name = in_lower_case(line.substr(0, colon));
  std::string value = in_lower_case(trimmed(line.substr(colon + 1)));
  if (name == "content-length") {
    auto length = number_in(value, 10);
    if (!length || *length > answer_body_bytes_max || (has_length_ && *length != left_))
      throw Nonsense("its length is invalid, or above " + std::to_string(answer_body_bytes_max));
    has_length_ = true;
    left_ = *length;
  }
  if (name == "transfer-encoding") {
    if (value != "chunked") throw Nonsense("it is encoded as " + value);
    chunked_ = true;
  }
  if (name == "connection" && value == "close") closes_ = true;
}

void AnswerReader::end_head() {
  if (status_ < 200) {  // This is an interim response (1xx).
    part_ = Part::status;
    return;
  }
  bool has_none = status_ == 204 || status_ == 304;
  if (!has_none && has_length_ == chunked_) throw Nonsense("its end is not given, or given twice");
  if (has_none) left_ = 0;
  part_ = chunked_ && !has_none ? Part::chunk_size : Part::counted;
}

/// Whether the whole body or chunk has arrived.
bool AnswerReader::move_body() {
  std::size_t some = std::min(left_, rest_.size());
  if (body_.size() + some > answer_body_bytes_max) throw Nonsense("its body is too long");
  body_.append(rest_, 0, some);
  rest_.erase(0, some);
  left_ -= some;
  return left_ == 0;
}

bool AnswerReader::take_line(std::string& line) {
  std::size_t end = body_.find('\n');
  if (end == std::string::npos) return false;
  line = body_.substr(0, end);
  body_.erase(0, end + 1);
  return true;
}

}  // namespace conch::http
