// Parses texts that people type: durations, shares, one of several names.
#pragma once

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/types.hpp"

namespace conch {

/// A text that is not what it should be; the message says what was expected.
class BadText : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws BadText: "5x" is not a duration such as 500ms.
[[noreturn]] void refuse_text(std::string_view text, std::string_view expected);

/// `500ms`, `1.5s`, `20us`, `100ns`, `2m`, `1h30m`, and `0`: larger units first, each once.
Duration parse_duration(std::string_view text);
/// The same, but a number without a unit is in seconds: `3`. For commands that people wait for; in
/// simulations durations are mostly milliseconds, so a missing unit is an error there.
Duration parse_duration_or_seconds(std::string_view text);
/// Prints the shortest form: 1500000 ns is 1.5ms.
std::string print_duration(Duration duration);
/// A share of one: `0.25` or `25%`.
double parse_share(std::string_view text);

/// The value that a text names; throws BadText with all names if it is none.
template <class T>
T one_of(const std::string& text, std::initializer_list<std::pair<std::string_view, T>> choices) {
  std::string names;
  for (auto [name, value] : choices) {
    if (text == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw BadText("\"" + text + "\" is none of " + names);
}

/// Calls `parse`. If it throws BadText, names the option in the message.
template <class Parse>
auto parsed(const std::string& option, Parse&& parse) {
  try {
    return parse();
  } catch (const BadText& error) {
    throw BadText(option + ": " + error.what());
  }
}

}  // namespace conch
