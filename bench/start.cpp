// Measures how long an uncontended lock takes from a shell: `conch lock x -- true` with a peer on
// the machine and without one, beside `flock FILE true`, which only locks a file.
//
//   bench_start [ROUNDS]    prints the table; 200 rounds by default
//
// The commands take turns, so that all of them run under the same conditions.
#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "net/scratch_folder.hpp"

namespace {

using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

constexpr int rounds_default = 200;
/// The file register calls fsync twice to join and twice to leave (docs/register.md).
constexpr int fsyncs = 4;
constexpr double with_peer_limit = 3;
constexpr double alone_limit = 6;
constexpr double resident_limit_mib = 12;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

pid_t start(Words words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0)
    throw std::runtime_error(words[0] + " cannot be started");
  return child;
}

/// One command, which runs again and again.
struct Row {
  std::string name;
  Words words;
  std::vector<double> times_ms = {};
  double resident_mib = 0;

  void run() {
    Clock::time_point begin = Clock::now();
    pid_t child = start(words);
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    times_ms.push_back(ms_since(begin));
    if (status != 0) throw std::runtime_error(words[0] + " failed");
    resident_mib = std::max(resident_mib, static_cast<double>(usage.ru_maxrss) / 1024);
  }
  double median_ms() const {
    std::vector<double> sorted = times_ms;
    std::ranges::nth_element(sorted,
                             sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    return sorted[sorted.size() / 2];
  }
};

/// Writes and links small files as the register does, with as many waits for the device.
void write_durably(const std::string& folder, int number) {
  for (int i = 0; i < fsyncs / 2; ++i) {
    std::string path = folder + "/" + std::to_string(number) + "." + std::to_string(i);
    int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    bool written = ::write(file, path.data(), path.size()) > 0 && ::fsync(file) == 0;
    ::close(file);
    written = written && ::link(path.c_str(), (path + ".view").c_str()) == 0;
    int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    written = written && ::fsync(directory) == 0;
    ::close(directory);
    if (!written) throw std::runtime_error("cannot write to " + folder);
  }
}

/// A `conch peer` of the group for the lifetime of this object.
class Peer {
 public:
  explicit Peer(const std::string& group)
      : child_(start({CONCH_COMMAND, "peer", "--group", group})) {
    // `conch status` does not wait: it fails until the peer has joined.
    while (::system(
               fmt::format("{} status --group {} >/dev/null 2>&1", CONCH_COMMAND, group).c_str()) !=
           0)
      if (::waitpid(child_, nullptr, WNOHANG) != 0) throw std::runtime_error("conch peer failed");
  }
  ~Peer() {
    ::kill(child_, SIGTERM);
    ::waitpid(child_, nullptr, 0);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

 private:
  pid_t child_;
};

std::string verdict(double measured, double limit) {
  return fmt::format("{:.2f}, wanted {:.3g}{}", measured, limit,
                     measured <= limit ? "" : ": not met");
}

void measure(const std::string& scratch, int rounds) {
  Row flock{"flock FILE true", {"flock", scratch + "/file", "true"}};
  Row with_peer{"conch lock, with a peer",
                {CONCH_COMMAND, "lock", "--group", "b", "x", "--", "true"}};
  Row alone{"conch lock, alone", {CONCH_COMMAND, "lock", "--group", "a", "x", "--", "true"}};
  Row durable{fmt::format("{} fsyncs", fsyncs), {}};
  alone.run();  // it founds the group, which later commands find
  alone.times_ms.clear();
  {
    Peer peer("b");
    for (int round = 0; round < rounds; ++round) {
      flock.run();
      with_peer.run();
      alone.run();
      Clock::time_point begin = Clock::now();
      write_durably(scratch, round);
      durable.times_ms.push_back(ms_since(begin));
    }
  }
  fmt::print("{} rounds, medians\n\n{:<26}{:>8}  {:>9}\n", rounds, "", "ms", "resident");
  for (const Row* row : {&flock, &with_peer, &alone})
    fmt::print("{:<26}{:>8.2f}  {:>5.1f} MiB\n", row->name, row->median_ms(), row->resident_mib);
  fmt::print("{:<26}{:>8.2f}\n\n", durable.name, durable.median_ms());
  double unit = flock.median_ms();
  fmt::print("with a peer, of flock's time            {}\n",
             verdict(with_peer.median_ms() / unit, with_peer_limit));
  fmt::print("alone, less the fsyncs, of flock's time {}\n",
             verdict((alone.median_ms() - durable.median_ms()) / unit, alone_limit));
  fmt::print("resident, MiB                           {}\n",
             verdict(std::max(with_peer.resident_mib, alone.resident_mib), resident_limit_mib));
}

int rounds_in(int argc, char** argv) {
  if (argc < 2) return rounds_default;
  std::string_view text = argv[1];
  int rounds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rounds);
  if (error != std::errc{} || end != text.data() + text.size() || rounds < 1)
    throw std::runtime_error("how many rounds? bench_start [ROUNDS]");
  return rounds;
}

}  // namespace

int main(int argc, char** argv) try {
  int rounds = rounds_in(argc, argv);
  // The build folder is on a disk; /tmp may be memory.
  conch::ScratchFolder scratch(CONCH_BENCH_FOLDER);
  ::setenv("XDG_STATE_HOME", scratch.path().c_str(), 1);
  measure(scratch.path(), rounds);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_start: {}\n", error.what());
  return 1;
}
