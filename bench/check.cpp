// Measures how many distinct states `conch check naimi-trehel` finds per second, beside Spin on the
// model in naimi_trehel.pml, which has the same states.
//
//   bench_check [CONCH]    prints the table; CONCH replaces the conch that was built with this
#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/scratch_folder.hpp"

namespace {

constexpr int nodes = 4;
/// Five million states, which take some seconds.
constexpr int requests = 3;
constexpr int runs = 3;

struct Row {
  std::string tool;
  int threads = 1;
  double states = 0;
  double seconds = 0;
  double bytes_per_state = 0;
  double per_s() const { return states / seconds; }
};

struct Output {
  std::string text;
  int status = 0;
};

/// The standard output of the command. Throws if a signal, such as Ctrl-C, ended it.
Output shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell could be started for: " + command);
  Output output;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) output.text += part.data();
  int status = pclose(pipe);
  if (!WIFEXITED(status)) throw std::runtime_error("interrupted: " + command);
  output.status = WEXITSTATUS(status);
  return output;
}

template <class Run>
Row best_of(Run run) {
  Row best = run();
  for (int again = 1; again < runs; ++again) {
    Row row = run();
    if (row.per_s() > best.per_s()) best = row;
  }
  return best;
}

Row run_conch(const std::string& conch, int threads) {
  std::string command = fmt::format(
      "'{}' check naimi-trehel --nodes {} --requests {} --channel any --threads {} --json", conch,
      nodes, requests, threads);
  Output output = shell(command);
  auto json = nlohmann::json::parse(output.text, nullptr, false);
  if (output.status != 0 || !json.is_object() || !json.value("complete", false))
    throw std::runtime_error(fmt::format("status {}, not a complete search: {}\n{}", output.status,
                                         command, output.text));
  return {"conch", threads, json.at("states"), json.at("seconds"), json.at("bytes_per_state")};
}

/// Runs the command in the folder.
Output shell_in(const conch::ScratchFolder& folder, const std::string& command) {
  return shell(fmt::format("cd '{}' && {{ {}; }} 2>&1", folder.path(), command));
}

/// A way to search with Spin. All searches do without its partial-order reduction, which costs time
/// and reduces nothing in this model. Several threads search breadth-first, because two that search
/// depth-first (-DNCORE=2) are slower.
struct Search {
  std::string tool;
  int cores = 1;
  std::string defines;
  std::string options;
};

int all_threads() { return static_cast<int>(std::max(2U, std::thread::hardware_concurrency())); }

std::vector<Search> searches() {
  return {
      {"spin, whole states", 1, "-DNOCOMP", ""},
      {"spin, hash-compact", 1, "-DHC4", ""},
      {"spin, parallel breadth-first", all_threads(), "-DBFS_PAR",
       fmt::format("-u{}", all_threads())},
  };
}

struct SearchFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The number before or after these words in pan's report.
std::optional<double> number_before(std::string_view report, std::string_view words) {
  auto end = report.find(words);
  if (end == std::string_view::npos) return {};
  auto begin = report.rfind('\n', end) + 1;
  return std::atof(std::string(report.substr(begin, end - begin)).c_str());
}

std::optional<double> number_after(std::string_view report, std::string_view words) {
  auto begin = report.find(words);
  if (begin == std::string_view::npos) return {};
  return std::atof(std::string(report.substr(begin + words.size(), 32)).c_str());
}

/// Each kind of search words its memory report differently.
double megabytes(std::string_view report) {
  double sum = 0;
  for (auto words : {"\tmemory usage (Mbyte)", "\ttotal actual memory usage",
                     "\ttotal shared memory usage", "\ttotal non-shared memory usage"})
    sum += number_before(report, words).value_or(0);
  return sum;
}

Row run_pan(const conch::ScratchFolder& folder, const Search& search) {
  std::string report = shell_in(folder, "./pan -q -m1000 -w24 " + search.options).text;
  auto states = number_before(report, " states, stored");
  auto seconds = number_after(report, "elapsed time ");
  if (!states || !seconds || number_after(report, "errors: ") != 0)
    throw SearchFailed(search.tool + " did not finish its search:\n" + report);
  return {search.tool, search.cores, *states, *seconds, megabytes(report) * 1024 * 1024 / *states};
}

Row run_spin(const conch::ScratchFolder& folder, const Search& search) {
  auto made = shell_in(folder, fmt::format("spin -a -DN={} -DR={} '{}' && cc -O3 -DSAFETY "
                                           "-DNOREDUCE -DNOBOUNDCHECK -DXUSAFE {} -o pan "
                                           "pan.c",
                                           nodes, requests, CONCH_PROMELA_MODEL, search.defines));
  if (made.status != 0) throw SearchFailed(search.tool + " was not built:\n" + made.text);
  return best_of([&] { return run_pan(folder, search); });
}

bool is_installed(const std::string& program) { return shell("command -v " + program).status == 0; }

void print_head() {
  fmt::print(
      "naimi-trehel, {} nodes, {} requests each, unordered channels; the best of {} runs.\n\n",
      nodes, requests, runs);
  fmt::print("{:<30} {:>7} {:>10} {:>8} {:>10} {:>12} {:>6}\n", "", "threads", "states", "seconds",
             "states/s", "bytes/state", "MiB");
}

void print(const Row& row) {
  fmt::print("{:<30} {:>7} {:>10.0f} {:>8.2f} {:>10.0f} {:>12.0f} {:>6.0f}\n", row.tool,
             row.threads, row.states, row.seconds, row.per_s(), row.bytes_per_state,
             row.bytes_per_state * row.states / (1 << 20));
  std::fflush(stdout);
}

/// Compares with the fastest of Spin's searches on no more threads than ours.
void print_ratio(const Row& ours, std::vector<Row> spin) {
  std::erase_if(spin, [&](const Row& row) { return row.threads > ours.threads; });
  if (spin.empty()) return;
  const Row& fastest = *std::ranges::max_element(spin, {}, &Row::per_s);
  fmt::print("{:.2f}  conch on {} / {}, on {}\n", ours.per_s() / fastest.per_s(), ours.threads,
             fastest.tool, fastest.threads);
}

std::vector<Row> measure_conch(const std::string& conch) {
  std::vector<Row> rows;
  for (int threads : {all_threads(), 1}) {
    rows.push_back(best_of([&] { return run_conch(conch, threads); }));
    print(rows.back());
  }
  return rows;
}

std::vector<Row> measure_spin() {
  std::vector<Row> rows;
  conch::ScratchFolder folder;
  for (const Search& search : searches()) {
    try {
      rows.push_back(run_spin(folder, search));
      print(rows.back());
    } catch (const SearchFailed& failure) {
      fmt::print(stderr, "bench_check: {}\n", failure.what());
    }
  }
  return rows;
}

void compare(const std::string& conch) {
  print_head();
  std::vector<Row> ours = measure_conch(conch);
  if (!is_installed("spin") || !is_installed("cc")) {
    fmt::print("\nSpin is not installed (apt-get install spin gcc), so there is no ratio.\n");
    return;
  }
  std::vector<Row> spin = measure_spin();
  fmt::print(
      "\nStates a second, ours to those of Spin's fastest search on as many threads or fewer:\n");
  for (const Row& row : ours) print_ratio(row, spin);
  fmt::print(
      "\nSpin generates and compiles its search first, which is not counted. Up to -w32 its "
      "hash-compact\nsearch hashes with 32 bits (Spin 6.5.2) and misses states.\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) {});  // it ends the child; we go on, to remove its files
  try {
    compare(argc > 1 ? argv[1] : CONCH_EXECUTABLE);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_check: {}\n", error.what());
    return 1;
  }
}
