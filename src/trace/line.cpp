#include "trace/line.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace conch::trace {

namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 24> digits;
  auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

void append_count(std::string& out, std::string_view key, std::uint64_t count) {
  if (count == 0) return;
  out += key;
  append_number(out, count);
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  out += key;
  out += text;
  out += '"';
}

void append_node(std::string& out, std::string_view key, std::string_view node, bool live) {
  if (node.empty()) return;
  out += key;
  if (live) out += '"';
  out += node;
  if (live) out += '"';
}

}  // namespace

void append(std::string& out, const Line& line) {
  out += R"({"at":)";
  append_number(out, line.at);
  append_text(out, R"(,"event":")", word(line.happening));
  append_node(out, R"(,"node":)", line.node, line.live);
  append_node(out, R"(,"peer":)", line.peer, line.live);
  append_text(out, R"(,"life":")", line.life);
  append_count(out, R"(,"n":)", line.number);
  append_text(out, R"(,"lock":")", line.lock);
  append_count(out, R"(,"bytes":)", line.bytes);
  append_count(out, R"(,"epoch":)", line.epoch);
  append_text(out, R"(,"members":")", line.members);
  append_text(out, R"(,"detail":")", line.detail);
  append_text(out, R"(,"state":")", line.state);
  append_text(out, R"(,"algorithm":")", line.algorithm);
  out += "}\n";
}

std::string_view escaped(std::string_view text, std::string& room) {
  if (text.find_first_of("\"\\") == std::string_view::npos) return text;
  room.clear();
  for (char c : text) {
    if (c == '"' || c == '\\') room += '\\';
    room += c;
  }
  return room;
}

std::string_view unescaped(std::string_view text, std::string& room) {
  if (text.find('\\') == std::string_view::npos) return text;
  room.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    room += text[i];
  }
  return room;
}

namespace {

/// Reads one flat object of texts and numbers.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  std::optional<Line> read(std::string& why) {
    bool whole = take('{') && take_members() && take('}') && rest_.empty();
    if (whole && has_at_ && has_event_ && !line_.node.empty()) return line_;
    why = !why_.empty() ? why_
          : whole       ? "no \"at\", \"event\" and \"node\" in it"
                        : "it is not a JSON object of texts and numbers";
    return std::nullopt;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_members() {
    do {
      std::string_view key, value;
      bool is_text = false;
      if (!take_text(key) || !take(':') || !take_value(value, is_text)) return false;
      if (!put(key, value, is_text)) return false;
    } while (take(','));
    return true;
  }
  /// Reads up to the closing quotation mark, which is one without a backslash before it.
  bool take_text(std::string_view& text) {
    if (!take('"')) return false;
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) return false;
    text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool take_value(std::string_view& value, bool& is_text) {
    is_text = rest_.starts_with('"');
    if (is_text) return take_text(value);
    std::size_t end = std::min(rest_.find_first_not_of("-0123456789"), rest_.size());
    value = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return !value.empty();
  }

  /// Skips unknown keys: a newer writer may add some.
  bool put(std::string_view key, std::string_view value, bool is_text) {
    if (key == "at") return has_at_ = number(value, line_.at);
    if (key == "event") return has_event_ = put_event(value);
    if (key == "node") return line_.live = is_text, line_.node = value, true;
    if (key == "n") return number(value, line_.number);
    if (key == "bytes") return number(value, line_.bytes);
    if (key == "epoch") return number(value, line_.epoch);
    if (key == "peer") line_.peer = value;
    if (key == "life") line_.life = value;
    if (key == "lock") line_.lock = value;
    if (key == "members") line_.members = value;
    if (key == "detail") line_.detail = value;
    if (key == "state") line_.state = value;
    if (key == "algorithm") line_.algorithm = value;
    return true;
  }
  bool put_event(std::string_view value) {
    std::optional<Happening> found = happening_of(value);
    if (!found) why_ = "unknown event \"" + std::string(value) + "\"";
    if (found) line_.happening = *found;
    return found.has_value();
  }
  template <class Number>
  static bool number(std::string_view text, Number& into) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc() && end == text.data() + text.size();
  }

  std::string_view rest_;
  Line line_;
  bool has_at_ = false;
  bool has_event_ = false;
  std::string why_;
};

}  // namespace

std::optional<Line> parse_line(std::string_view text, std::string& why) {
  return LineReader(text).read(why);
}

}  // namespace conch::trace
