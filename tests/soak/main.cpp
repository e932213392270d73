// soak runs many peers with many locks, which leave and come back, for as long as it is told to.
// Memory and descriptors must not grow.
#include <fmt/core.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "core/types.hpp"
#include "process.hpp"
#include "register/testing/scratch.hpp"
#include "soak/page.hpp"

namespace conch::soak {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

struct Options {
  double minutes = 10;
  std::uint32_t peers = 64;
  std::uint32_t locks = 10'000;
  /// The time from one departure to the next, in seconds.
  double rejoin_s = 2;
};

/// What all workers together use at one time.
struct Sample {
  double at_s = 0;
  double memory_mib = 0;
  double descriptors = 0;
};

double memory_mib(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double descriptors(pid_t process) {
  std::error_code error;
  std::filesystem::directory_iterator all("/proc/" + std::to_string(process) + "/fd", error);
  return error ? 0 : static_cast<double>(std::distance(begin(all), end(all)));
}

/// How much the regression line through the samples rises from the first one to the last one, as a
/// part of their mean.
double growth(const std::vector<Sample>& samples, double Sample::*what) {
  double n = static_cast<double>(samples.size());
  double time = 0, value = 0, time_time = 0, time_value = 0;
  for (const Sample& each : samples) {
    time += each.at_s;
    value += each.*what;
    time_time += each.at_s * each.at_s;
    time_value += each.at_s * each.*what;
  }
  double spread = n * time_time - time * time;
  if (spread <= 0 || value <= 0) return 0;
  double slope = (n * time_value - time * value) / spread;
  return slope * (samples.back().at_s - samples.front().at_s) / (value / n);
}

class Soak {
 public:
  explicit Soak(const Options& options) : options_(options), page_(scratch_.path() + "/page") {}

  /// Runs the soak and returns the exit status.
  int run() {
    for (std::uint32_t i = 1; i <= options_.peers; ++i) start(i);
    if (!await_all()) return 1;
    fmt::print(
        "{} peers, {} locks, leases of 5 s; one leaves and comes back every {} s\n"
        "   time   entries/s   rejoins    lost   memory MiB   descriptors\n",
        options_.peers, options_.locks, options_.rejoin_s);
    Clock::time_point begin = Clock::now();
    double total_s = options_.minutes * 60;
    double print_s = std::min(60.0, total_s / 5);
    double next_print_s = print_s;
    double next_rejoin_s = options_.rejoin_s;
    std::uint64_t entries = page_->entries;
    for (double now_s = 0; now_s < total_s && interrupted == 0;) {
      std::this_thread::sleep_for(500ms);  // the interval between samples: it awaits nothing
      now_s = seconds_of(Clock::now() - begin);
      if (!everybody_lives()) return 1;
      samples_.push_back(sample(now_s));
      if (page_->rejoins >= options_.peers && !all_rejoined_) all_rejoined_ = samples_.size() - 1;
      if (now_s >= next_rejoin_s && page_->leaver == 0) {
        page_->leaver = 1 + static_cast<std::uint32_t>(turns_++ * 7 % options_.peers);
        next_rejoin_s = now_s + options_.rejoin_s;
      }
      if (now_s < next_print_s) continue;
      std::uint64_t before = std::exchange(entries, page_->entries);
      print(static_cast<double>(entries - before) / print_s);
      next_print_s += print_s;
    }
    return finish();
  }

 private:
  void start(std::uint32_t number) {
    workers_.emplace_back(
        std::vector<std::string>{SOAK_WORKER, scratch_.path(), std::to_string(number),
                                 std::to_string(options_.peers), std::to_string(options_.locks)},
        [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  }
  bool await_all() {
    auto until = Clock::now() + 3min;
    while (page_->joined < options_.peers && interrupted == 0) {
      if (!everybody_lives()) return false;
      if (Clock::now() > until) {
        fmt::print("FAIL: after 3 minutes {} of {} peers are in\n", page_->joined.load(),
                   options_.peers);
        return false;
      }
      std::this_thread::sleep_for(50ms);
    }
    return interrupted == 0;
  }
  bool everybody_lives() {
    for (Process& worker : workers_)
      if (worker.await_exit(0ms) != still_running) {
        fmt::print("FAIL: a worker ended: {}\n", worker.output());
        return false;
      }
    return true;
  }
  Sample sample(double now_s) {
    Sample all{now_s};
    for (const Process& worker : workers_) {
      all.memory_mib += memory_mib(worker.id());
      all.descriptors += descriptors(worker.id());
    }
    return all;
  }
  void print(double rate) const {
    const Sample& last = samples_.back();
    fmt::print("{:5.0f} s {:11.0f} {:9} {:7} {:12.1f} {:13.0f}\n", last.at_s, rate,
               page_->rejoins.load(), page_->losses.load(), last.memory_mib, last.descriptors);
    std::fflush(stdout);
  }
  int finish() {
    page_->over = true;
    for (Process& worker : workers_)
      if (worker.await_exit(60s) != 0) {
        fmt::print("FAIL: a worker does not end well: {}\n", worker.output());
        return 1;
      }
    if (samples_.empty()) {
      fmt::print("FAIL: ended before anything was measured\n");
      return 1;
    }
    // Memory grows at first, as pages are touched for the first time. A process whose peer comes
    // back for the first time has threads, and so heaps, for two peers.
    std::size_t first = std::max(samples_.size() / 3, all_rejoined_.value_or(0));
    std::vector<Sample> later(samples_.begin() + static_cast<std::ptrdiff_t>(first),
                              samples_.end());
    double memory = growth(later, &Sample::memory_mib);
    double files = growth(later, &Sample::descriptors);
    bool flat = memory < 0.05 && files < 0.05;
    bool well = flat && page_->overlaps == 0 && page_->entries > 0 && page_->rejoins > 0;
    fmt::print(
        "in the last {:.0f} s memory grew by {:.1f} %, descriptors by {:.1f} %; "
        "{} entries, {} rejoins{}, {} overlaps\n{}\n",
        later.back().at_s - later.front().at_s, memory * 100, files * 100, page_->entries.load(),
        page_->rejoins.load(), all_rejoined_ ? "" : " (not of everybody)", page_->overlaps.load(),
        well ? "pass" : "FAIL");
    return well ? 0 : 1;
  }

  Options options_;
  ScratchFolder scratch_;
  SharedPage page_;
  std::deque<Process> workers_;
  std::vector<Sample> samples_;
  /// The first sample after every peer has left and come back.
  std::optional<std::size_t> all_rejoined_;
  std::uint64_t turns_ = 0;
};

}  // namespace
}  // namespace conch::soak

int main(int argc, char** argv) {
  using namespace conch::soak;
  Options options;
  CLI::App app(
      "Run many peers and locks, with peers joining and leaving: memory and descriptors must not "
      "grow");
  app.add_option("--minutes", options.minutes, "Duration in minutes")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--peers", options.peers, "Number of peers, each a process")
      ->capture_default_str()
      ->check(CLI::Range(2, 500));
  app.add_option("--locks", options.locks, "Number of locks, each used by about four peers")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{500}, locks_max));
  app.add_option("--rejoin", options.rejoin_s, "Seconds between two peers that leave and come back")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = 1; });
  return Soak(options).run();
}
