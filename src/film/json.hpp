// A minimal JSON writer, for layers that may use only the standard library.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace conch::film {

inline void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
      continue;
    }
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
    out += code.data();
  }
  out += '"';
}

/// Writes one object, member by member; the destructor closes it.
class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  ~Object() { out_ += '}'; }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Object& text(std::string_view name, std::string_view value) {
    append_name(name);
    append_quoted(out_, value);
    return *this;
  }
  Object& number(std::string_view name, std::uint64_t value) {
    append_name(name);
    out_ += std::to_string(value);
    return *this;
  }
  Object& flag(std::string_view name, bool value) {
    append_name(name);
    out_ += value ? "true" : "false";
    return *this;
  }
  /// Calls `append()` to write the value.
  template <class Append>
  Object& member(std::string_view name, Append&& append) {
    append_name(name);
    append();
    return *this;
  }
  /// Calls `append(each)` to write each element.
  template <class List, class Append>
  Object& list(std::string_view name, const List& values, Append&& append) {
    append_name(name);
    out_ += '[';
    bool first = true;
    for (const auto& each : values) {
      if (!std::exchange(first, false)) out_ += ',';
      append(each);
    }
    out_ += ']';
    return *this;
  }

 private:
  void append_name(std::string_view name) {
    if (!std::exchange(first_, false)) out_ += ',';
    append_quoted(out_, name);
    out_ += ':';
  }

  std::string& out_;
  bool first_ = true;
};

}  // namespace conch::film
