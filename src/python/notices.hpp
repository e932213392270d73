// Events that a peer reports to Python. The peer's threads must not wait for the GIL, which may be
// taken for seconds while a lease runs out, so they queue a notice here, and a Python thread takes
// it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace conch::python {

class Notices {
 public:
  /// The event ("ready", "lost" or "log"), the number of the ticket, and the log line.
  using Notice = std::tuple<std::string, std::uint64_t, std::string>;

  /// Throws Error if the process has no descriptor left.
  Notices();
  ~Notices();
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  void ready(std::uint64_t ticket) { add({"ready", ticket, ""}); }
  void lost(std::uint64_t ticket) { add({"lost", ticket, ""}); }
  void log(std::string_view line) { add({"log", 0, std::string(line)}); }
  /// No notice is added afterwards; those already queued can still be taken.
  void close();

  /// Waits until there are notices. Returns nothing once the queue is closed and empty. Only one
  /// thread may call it.
  std::optional<std::vector<Notice>> take();

 private:
  void add(Notice notice);
  void ring() const;

  std::mutex mutex_;
  std::vector<Notice> notices_;
  bool closed_ = false;
  /// An eventfd instead of a condition variable: in a forked child, destroying a condition variable
  /// blocks for ever if a thread of the parent was waiting on it.
  int bell_;
};

}  // namespace conch::python
