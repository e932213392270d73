#include "peer/names.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <conch/error.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/clusters.hpp"

namespace conch::peer {

namespace {

constexpr std::size_t group_bytes_max = 64;
constexpr std::size_t lock_bytes_max = 255;
constexpr std::size_t shown_bytes_max = 60;

unsigned byte(char c) { return static_cast<unsigned char>(c); }
bool between(unsigned low, unsigned value, unsigned high) { return low <= value && value <= high; }

bool is_ascii_letter_or_digit(char c) {
  return between('a', byte(c), 'z') || between('A', byte(c), 'Z') || between('0', byte(c), '9');
}

/// A bad name as one can print it.
std::string shown(std::string_view name) {
  std::string text;
  for (char c : name.substr(0, shown_bytes_max))
    text += between(' ', byte(c), '~') ? std::string(1, c) : fmt::format("\\x{:02x}", byte(c));
  return "\"" + text + (name.size() > shown_bytes_max ? "...\"" : "\"");
}

/// How many bytes a character has whose first is this; 0 if none begins so.
std::size_t size_of_character(unsigned first) {
  if (first < 0x80) return 1;
  if (between(0xc2, first, 0xdf)) return 2;
  if (between(0xe0, first, 0xef)) return 3;
  return between(0xf0, first, 0xf4) ? 4 : 0;
}

/// Takes the first character off a text, in its shortest form (RFC 3629). None if there is no such.
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

std::string group_named(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("CONCH_GROUP");  // NOLINT(concurrency-mt-unsafe)
  return variable != nullptr && *variable != '\0' ? variable : "default";
}

std::string cluster_named(const std::string& given) {
  if (!given.empty() && given != measured_cluster) return given;
  std::array<char, HOST_NAME_MAX + 1> host{};
  bool known = ::gethostname(host.data(), host.size() - 1) == 0;
  std::string name = host.data();
  return known && is_label(name) ? name : "host";
}

void check_cluster_name(std::string_view name) {
  if (is_label(name)) return;
  throw Error(
      ErrorCode::bad_argument,
      fmt::format("{} cannot be the label of a cluster: it has one or more parts, as site/rack, of "
                  "printable ASCII without spaces, and at most 200 bytes",
                  shown(name)));
}

void check_group_name(std::string_view name) {
  auto allowed = [](char c) {
    return is_ascii_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  };
  if (name.empty() || name.size() > group_bytes_max || name.front() == '.' ||
      !std::all_of(name.begin(), name.end(), allowed))
    throw Error(ErrorCode::bad_argument,
                fmt::format("{} cannot be the name of a group: it has 1 to {} of a-z, A-Z, 0-9, "
                            "'.', '_' and '-', and does not begin with a dot",
                            shown(name), group_bytes_max));
}

void check_lock_name(std::string_view name) {
  if (name.empty() || name.size() > lock_bytes_max)
    throw Error(
        ErrorCode::bad_argument,
        fmt::format("{} cannot be the name of a lock: it has {} bytes, and may have 1 to {}",
                    shown(name), name.size(), lock_bytes_max));
  for (std::string_view rest = name; !rest.empty();) {
    auto code = take_character(rest);
    if (!code)
      throw Error(ErrorCode::bad_argument,
                  fmt::format("{} cannot be the name of a lock: it is not UTF-8", shown(name)));
    if (is_control(*code))
      throw Error(ErrorCode::bad_argument,
                  fmt::format("{} cannot be the name of a lock: it has a control character in it",
                              shown(name)));
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

}  // namespace conch::peer
