#include "lab_cli/lab_progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "core/types.hpp"

namespace conch::lab_cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t bar_columns = 30;
constexpr std::string_view clear_line = "\r\033[K";

/// Writes without stdio: a child that is forked meanwhile could inherit a locked stdio lock.
void put(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The message on an interrupt, and the process that prints it.
std::string last_words;
pid_t whose = 0;

void on_interrupt(int signal) {
  if (getpid() == whose) put(last_words);  // only the parent, not a child
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

ReportProgress::ReportProgress(std::size_t total, const std::optional<std::string>& out)
    : total_(total), is_terminal_(isatty(STDERR_FILENO) == 1) {
  last_words = fmt::format("{}conch: stopped{}\n", is_terminal_ ? clear_line : "",
                           out ? "; the finished tables are in " + *out : "");
  whose = getpid();
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, on_interrupt);
  if (is_terminal_) painter_ = std::thread([this] { keep_drawing(); });
}

ReportProgress::~ReportProgress() {
  {
    std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  if (painter_.joinable()) painter_.join();
  if (is_terminal_) put(clear_line);
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

void ReportProgress::begin(std::string_view name) {
  std::lock_guard lock(mutex_);
  name_ = name;
  begun_ = Clock::now();
  if (is_terminal_) draw();
}

double ReportProgress::end() {
  std::lock_guard lock(mutex_);
  double took_s = seconds_of(Clock::now() - begun_);
  ++done_;
  if (!is_terminal_) put(fmt::format("[{}/{}] {} {:.1f} s\n", done_, total_, name_, took_s));
  return took_s;
}

double ReportProgress::total_s() const { return seconds_of(Clock::now() - start_); }

void ReportProgress::draw() const {
  std::size_t full = bar_columns * done_ / total_;
  put(fmt::format("{}[{}{}] {}/{} {}, {:.0f} s", clear_line, std::string(full, '#'),
                  std::string(bar_columns - full, '.'), done_, total_, name_, total_s()));
}

void ReportProgress::keep_drawing() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the working thread handles signals
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, 500ms, [this] { return is_over_; })) draw();
}

}  // namespace conch::lab_cli
