// The lines that `conch peer` writes to standard error. All of them come through here: the peer's,
// the command's own, and the sentence with which it ends if it fails.
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
  /// journald notes the time, and reads the priority at the beginning of the line.
  journal,
  json
};

/// Whether the file is the stream to the journal that $JOURNAL_STREAM names, by the numbers of its
/// device and its inode; the variable may be null. A program that was started with its output
/// redirected inherits the variable all the same.
bool is_journal_stream(const char* variable, const struct stat& file);

/// `json`; or `text`, which becomes `journal` where that reads it. Throws Error if it is neither.
LogFormat log_format_named(const std::string& name);

/// What all lines of a peer have in common; empty as long as it is not known.
struct LogFields {
  std::string group;
  std::string peer;
};

/// With blanks for its line breaks.
std::string one_line(std::string_view text);

using LogClock = std::chrono::system_clock;

/// With the line break at its end, and no other.
std::string log_text(LogFormat format, const LogFields& fields, LogClock::time_point time,
                     const LogLine& line);

/// Safe to be used by several threads at once.
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
