// The lines that a peer logs.
#pragma once

#include <cstdint>
#include <string_view>

namespace conch {

/// The severity of a log line: an error means that a lock or this peer's membership was lost, a
/// warning that this may happen.
enum class LogLevel : std::uint8_t { info, warning, error };

struct LogLine {
  LogLevel level = LogLevel::warning;
  std::string_view text;

  /// Lets a log function take only the text.
  operator std::string_view() const { return text; }  // NOLINT(google-explicit-constructor)
};

}  // namespace conch
