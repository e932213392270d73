// The progress of a report on stderr: a bar with the elapsed time on a terminal, else a line per
// experiment. If Ctrl-C ends the report, the bar is removed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace conch::lab_cli {

class ReportProgress {
 public:
  /// Shows the progress of `total` experiments. `out` is the directory of their tables, if there is
  /// one; the message on Ctrl-C names it. Only one object may exist at a time.
  ReportProgress(std::size_t total, const std::optional<std::string>& out);
  ~ReportProgress();
  ReportProgress(const ReportProgress&) = delete;
  ReportProgress& operator=(const ReportProgress&) = delete;

  void begin(std::string_view name);
  /// Returns how long the experiment took, in seconds.
  double end();

 private:
  using Clock = std::chrono::steady_clock;
  double total_s() const;
  void draw() const;
  void keep_drawing();

  const std::size_t total_;
  const bool is_terminal_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::size_t done_ = 0;
  std::string name_;
  Clock::time_point begun_ = start_;
  std::thread painter_;
};

}  // namespace conch::lab_cli
