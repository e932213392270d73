// How far a report is, on stderr: a bar with the time where that is a terminal, else a line for
// each experiment. What is drawn is taken away when Ctrl-C ends the report.
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
  /// Of so many experiments, whose tables go to `out`, if anywhere. There is one at a time.
  ReportProgress(std::size_t total, const std::optional<std::string>& out);
  ~ReportProgress();
  ReportProgress(const ReportProgress&) = delete;
  ReportProgress& operator=(const ReportProgress&) = delete;

  void begin(std::string_view name);
  /// How long it took.
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
