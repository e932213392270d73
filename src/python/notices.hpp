// What a peer has to tell Python. Its threads must not wait for the interpreter, which may be busy
// for seconds while a lease runs out: they leave a notice, and a thread of Python's comes for it.
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
  /// What happened ("ready", "lost" or "log"), to which ticket, and a line of the log.
  using Notice = std::tuple<std::string, std::uint64_t, std::string>;

  /// Throws Error if the process has no descriptor left.
  Notices();
  ~Notices();
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  void ready(std::uint64_t ticket) { add({"ready", ticket, ""}); }
  void lost(std::uint64_t ticket) { add({"lost", ticket, ""}); }
  void log(std::string_view line) { add({"log", 0, std::string(line)}); }
  /// Nothing comes any more; what is there can still be taken.
  void close();

  /// Waits until there are some. None when it is closed and all were taken. For one thread.
  std::optional<std::vector<Notice>> take();

 private:
  void add(Notice notice);
  void ring() const;

  std::mutex mutex_;
  std::vector<Notice> notices_;
  bool closed_ = false;
  /// An eventfd and no condition variable: to destroy one of those in a forked child waits for ever
  /// if a thread of the parent was waiting for it.
  int bell_;
};

}  // namespace conch::python
