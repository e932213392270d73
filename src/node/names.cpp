#include "node/names.hpp"

#include <array>
#include <charconv>
#include <conch/error.hpp>
#include <optional>

namespace conch::node {

namespace {

constexpr std::size_t lock_bytes_max = 255;
constexpr std::size_t shown_bytes_max = 60;

unsigned byte(char c) { return static_cast<unsigned char>(c); }
bool between(unsigned low, unsigned value, unsigned high) { return low <= value && value <= high; }

std::string escaped(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte(c) >> 4], digits[byte(c) & 0xfU]};
}

[[noreturn]] void refuse_lock_name(std::string_view name, const std::string& why) {
  throw Error(ErrorCode::bad_argument, shown(name) + " cannot be the name of a lock: " + why);
}

/// The length of a UTF-8 character that begins with this byte; 0 if none does.
std::size_t size_of_character(unsigned first) {
  if (first < 0x80) return 1;
  if (between(0xc2, first, 0xdf)) return 2;
  if (between(0xe0, first, 0xef)) return 3;
  return between(0xf0, first, 0xf4) ? 4 : 0;
}

/// Removes the first character of a text and returns its code point. Empty if it is not valid UTF-8
/// in its shortest form (RFC 3629).
std::optional<unsigned> take_character(std::string_view& text) {
  std::size_t size = size_of_character(byte(text.front()));
  if (size == 0 || size > text.size()) return std::nullopt;
  unsigned code = size == 1 ? byte(text.front()) : byte(text.front()) & (0x7fU >> size);
  for (char c : text.substr(1, size - 1)) {
    if ((byte(c) & 0xc0U) != 0x80) return std::nullopt;
    code = code << 6 | (byte(c) & 0x3fU);
  }
  bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (is_overlong || between(0xd800, code, 0xdfff) || code > 0x10ffff) return std::nullopt;
  text.remove_prefix(size);
  return code;
}

bool is_control(unsigned code) { return code < 0x20 || between(0x7f, code, 0x9f); }

}  // namespace

std::string shown(std::string_view name) {
  std::string text;
  for (char c : name.substr(0, shown_bytes_max))
    text += between(' ', byte(c), '~') ? std::string(1, c) : escaped(c);
  return "\"" + text + (name.size() > shown_bytes_max ? "...\"" : "\"");
}

std::string in_hex(std::uint64_t number) {
  std::array<char, 16> digits{};
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

void check_lock_name(std::string_view name) {
  if (name.empty() || name.size() > lock_bytes_max)
    refuse_lock_name(name, "it has " + std::to_string(name.size()) + " bytes, and may have 1 to " +
                               std::to_string(lock_bytes_max));
  for (std::string_view rest = name; !rest.empty();) {
    auto code = take_character(rest);
    if (!code) refuse_lock_name(name, "it is not UTF-8");
    if (is_control(*code)) refuse_lock_name(name, "it contains a control character");
  }
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    std::string_view rest = text;
    auto code = take_character(rest);
    std::string_view next = code ? text.substr(0, text.size() - rest.size()) : "?";
    if (code && is_control(*code)) next = " ";
    if (shown.size() + next.size() > printable_bytes_max) break;
    shown += next;
    text.remove_prefix(code ? text.size() - rest.size() : 1);
  }
  return shown;
}

}  // namespace conch::node
