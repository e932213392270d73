#include "cli/peer_log.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace conch::cli {

namespace {

/// Priorities of syslog(3).
int priority_of(LogLevel level) {
  switch (level) {
    case LogLevel::error: return 3;
    case LogLevel::warning: return 4;
    case LogLevel::info: return 6;
  }
  return 6;
}

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::error: return "error";
    case LogLevel::warning: return "warning";
    case LogLevel::info: return "info";
  }
  return "info";
}

std::string stamp_of(LogClock::time_point time) {
  // fmt 9 omits fractions of a second.
  auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  auto rest = std::chrono::floor<std::chrono::milliseconds>(time - seconds);
  return fmt::format("{:%FT%T}.{:03}Z", seconds, rest.count());
}

std::string json_line(const LogFields& fields, LogClock::time_point time, const LogLine& line) {
  nlohmann::ordered_json object{{"time", stamp_of(time)}, {"level", level_name(line.level)}};
  if (!fields.group.empty()) object["group"] = fields.group;
  if (!fields.peer.empty()) object["peer"] = fields.peer;
  object["message"] = line.text;
  // The text may quote what others sent, which need not be UTF-8.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

bool is_journal_stream(const char* variable, const struct stat& file) {
  return variable != nullptr && fmt::format("{}:{}", file.st_dev, file.st_ino) == variable;
}

LogFormat log_format_named(const std::string& name) {
  if (name == "json") return LogFormat::json;
  if (name != "text") throw Error("--log-format: \"" + name + "\" is neither text nor json");
  struct stat file {};
  bool is_open = ::fstat(STDERR_FILENO, &file) == 0;
  bool is_journal = is_open && is_journal_stream(std::getenv("JOURNAL_STREAM"), file);
  return is_journal ? LogFormat::journal : LogFormat::text;
}

std::string log_text(LogFormat format, const LogFields& fields, LogClock::time_point time,
                     const LogLine& line) {
  switch (format) {
    case LogFormat::text: return stamp_of(time) + " " + one_line(line.text) + "\n";
    case LogFormat::journal:
      return fmt::format("<{}>{}\n", priority_of(line.level), one_line(line.text));
    case LogFormat::json: return json_line(fields, time, line) + "\n";
  }
  return "";
}

void PeerLog::name_peer(std::string id) {
  std::lock_guard guard(mutex_);
  fields_.peer = std::move(id);
}

void PeerLog::write(const LogLine& line) const {
  std::lock_guard guard(mutex_);
  std::string text = log_text(format_, fields_, LogClock::now(), line);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace conch::cli
