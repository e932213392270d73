// Writes the log lines of `conch peer` to standard error. All of them come through here: the
// peer's, the command's own, and the error with which it ends if it fails.
//
//   text      2026-01-02T03:04:05.678Z peer 8407ed is in the group orders (naimi-trehel)
//   journal   <6>peer 8407ed is in the group orders (naimi-trehel)
//   json      {"time":"2026-01-02T03:04:05.678Z","level":"info","group":"orders","peer":"8407ed",
//              "message":"peer 8407ed is in the group orders (naimi-trehel)"}
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <conch/peer.hpp>
#include <mutex>
#include <string>
#include <string_view>

namespace conch::cli {

enum class LogFormat : std::uint8_t {
  text,
  /// journald adds the time, and reads the priority from the beginning of the line.
  journal,
  json
};

/// Whether the file is the journal stream that $JOURNAL_STREAM names by device and inode;
/// `variable` is its value and may be null. The file must be checked, because a program whose
/// output is redirected inherits the variable, too.
bool is_journal_stream(const char* variable, const struct stat& file);

/// `json` or `text`; `text` becomes `journal` if standard error is a journal stream. Throws Error
/// for any other name.
LogFormat log_format_named(const std::string& name);

/// What all lines of a peer have in common; empty while unknown.
struct LogFields {
  std::string group;
  std::string peer;
};

/// Replaces line breaks by blanks.
std::string one_line(std::string_view text);

using LogClock = std::chrono::system_clock;

/// Ends with a line break and contains no other.
std::string log_text(LogFormat format, const LogFields& fields, LogClock::time_point time,
                     const LogLine& line);

/// Thread-safe.
class PeerLog {
 public:
  PeerLog(LogFormat format, std::string group) : format_(format), fields_{std::move(group), ""} {}

  LogFormat format() const { return format_; }
  void name_peer(std::string id);
  void write(const LogLine& line) const;
  void info(std::string_view text) const { write({LogLevel::info, text}); }
  void error(std::string_view text) const { write({LogLevel::error, text}); }

 private:
  LogFormat format_;
  mutable std::mutex mutex_;
  LogFields fields_;
};

}  // namespace conch::cli
