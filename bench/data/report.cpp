#include "report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "machine.hpp"

namespace conch::bench {

namespace {

constexpr int name_width = 30;
constexpr const char* raw_tcp = "raw stream, TCP";
constexpr const char* ours_tcp = "conch, TCP";
constexpr const char* ours_unix = "conch, Unix";

std::string ms(double ns) { return fmt::format("{:.{}f}", ns * 1e-6, ns < 1e6 ? 2 : 1); }

/// More than any memory moves: a higher rate means that no bytes were moved.
constexpr double gigabytes_a_second_max = 200;

std::string rate(std::size_t size, double ns) {
  double rate = static_cast<double>(size) / ns;
  if (rate > gigabytes_a_second_max) return "no copy";
  return fmt::format("{:.{}f}", rate, rate < 1 ? 2 : 1);
}

void print_row(const Result& result, const Row& row) {
  fmt::print("{:<{}}", row.name, name_width);
  if (row.times_ns.empty()) {
    fmt::print("  {}\n", row.failure);
    return;
  }
  auto zero = row.times_ns.find(0);
  fmt::print(" {:>9}", zero == row.times_ns.end() ? "" : us(zero->second));
  for (std::size_t size : result.plan.sizes) {
    auto time = row.times_ns.find(size);
    fmt::print(" {:>9}", time == row.times_ns.end() ? "-" : us(time->second));
  }
  if (auto time = row.times_ns.find(result.largest()); time != row.times_ns.end())
    fmt::print(" {:>9}", rate(result.largest(), time->second));
  fmt::print("{}\n", row.failure.empty() ? "" : "  " + row.failure);
}

// Targets.

struct Target {
  std::string what;
  bool at_most = true;
  double limit = 0;
  const char* unit = "";
  std::optional<double> measured;

  bool holds() const { return at_most ? *measured <= limit : *measured >= limit; }
};

void print(const Target& target) {
  std::string words =
      fmt::format("{:<66} {} {:>3}{}", target.what, target.at_most ? "at most " : "at least",
                  target.limit, target.unit);
  if (!target.measured) {
    fmt::print("{}  not measured\n", words);
  } else {
    fmt::print("{}  {:>6.{}f}{}  {}\n", words, *target.measured, *target.measured < 10 ? 2 : 1,
               target.unit, target.holds() ? "HOLDS" : "MISSED");
  }
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a / *b) : std::nullopt;
}

Target passing_target(const Result& result) {
  std::size_t size = result.largest();
  return {fmt::format("one host: {}, of a handover of nothing", size_in_words(size)), true, 3,
          " times", ratio(result.time_ns(ours_unix, size), result.time_ns(ours_unix, 0))};
}

Target stream_target(const Result& result) {
  std::size_t size = result.largest();
  auto share = ratio(result.time_ns(raw_tcp, size), result.time_ns(ours_tcp, size));
  if (share) *share *= 100;
  return {fmt::format("TCP: {}, of the raw stream's throughput", size_in_words(size)), false, 80,
          " %", share};
}

/// The longest time in acquire, in percent of a fetch, among the points with more work than the
/// wait.
std::optional<double> worst_blocking(const Result& result, Waits OverlapPoint::*way) {
  if (!result.overlap) return std::nullopt;
  std::optional<double> worst;
  for (const OverlapPoint& point : result.overlap->beyond_the_queue()) {
    double share = 100 * (point.*way).blocking_ns / result.overlap->fetch_ns;
    worst = std::max(worst.value_or(0), share);
  }
  return worst;
}

}  // namespace

std::string size_in_words(std::size_t size) {
  if (size >= 1 << 20 && size % (1 << 20) == 0) return fmt::format("{} MiB", size >> 20);
  if (size >= 1 << 10 && size % (1 << 10) == 0) return fmt::format("{} KiB", size >> 10);
  return fmt::format("{} bytes", size);
}

void print_handovers(const Result& result) {
  if (!result.versions.empty()) {
    std::string versions;
    for (const std::string& each : result.versions)
      versions += (versions.empty() ? "" : ", ") + each;
    fmt::print("{}\n", versions);
  }
  fmt::print(
      "\nUntil the next holder can use the bytes, between two processes: us, medians of {}\n\n",
      result.plan.rounds);
  fmt::print("{:<{}} {:>9}", "", name_width, "nothing");
  for (std::size_t size : result.plan.sizes) fmt::print(" {:>9}", size_in_words(size));
  fmt::print(" {:>9}\n", "GB/s");
  for (const Row& row : result.rows) print_row(result, row);
  fmt::print("\n");
}

void print_overlap(const Overlap& overlap) {
  fmt::print("{} processes in line for {} over TCP: ms, medians; the fetch alone takes {} ms\n\n",
             overlap_processes, size_in_words(overlap.size), ms(overlap.fetch_ns));
  fmt::print("{:>9}  {:>22}  {:>22}\n", "", "plain", "prefetch");
  fmt::print("{:>9}  {:>10} {:>11}  {:>10} {:>11}\n", "T_W", "T_wait", "T_blocking", "T_wait",
             "T_blocking");
  for (const OverlapPoint& point : overlap.points)
    fmt::print("{:>9}  {:>10} {:>11}  {:>10} {:>11}\n", ms(point.work_ns), ms(point.plain.wait_ns),
               ms(point.plain.blocking_ns), ms(point.prefetch.wait_ns),
               ms(point.prefetch.blocking_ns));
  fmt::print("\n");
}

void print_targets(const Result& result) {
  fmt::print("Targets\n");
  print(passing_target(result));
  print(stream_target(result));
  print({"overlap: T_W longer than the wait, blocking, of the fetch and noise", true, 110, " %",
         worst_blocking(result, &OverlapPoint::plain)});
  print({"overlap, prefetch: the same, \"near zero\" being a tenth", true, 10, " %",
         worst_blocking(result, &OverlapPoint::prefetch)});
}

}  // namespace conch::bench
