// What a peer has to say that nobody asked for.
#pragma once

#include <cstdint>
#include <string_view>

namespace conch {

/// How much a line of the log matters: an error has cost somebody a lock or this peer its place,
/// a warning may.
enum class LogLevel : std::uint8_t { info, warning, error };

struct LogLine {
  LogLevel level = LogLevel::warning;
  std::string_view text;

  /// For a function that is called with a line and minds only its text.
  operator std::string_view() const { return text; }  // NOLINT(google-explicit-constructor)
};

}  // namespace conch
